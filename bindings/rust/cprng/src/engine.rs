// SPDX-License-Identifier: BSD-2-Clause
use core::ffi::CStr;

/// The cipher of a stream.
///
/// ```
/// use cprng::{Engine, Stream};
/// let rfc8439 = Stream::keyed(Engine::ChaCha20, &[0; 32], &[0; 12])?;
/// # assert_eq!(rfc8439.tell(), 0);
/// # Ok::<(), cprng::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Engine {
    /// ChaCha with 20 rounds: RFC 8439, or a nonce of 8 bytes.
    ChaCha20,
    /// ChaCha with 12 rounds.
    ChaCha12,
    /// ChaCha with 8 rounds: the default engine of seeded streams.
    #[default]
    ChaCha8,
    /// Salsa20/20.
    Salsa20,
    /// Salsa20/12.
    Salsa20R12,
    /// Salsa20/8.
    Salsa20R8,
    /// AES-256 in counter mode, SP 800-38A.
    Aes256Ctr,
    /// AES-128 in counter mode.
    Aes128Ctr,
}

impl Engine {
    /// The engine's name in the C library.
    ///
    /// ```
    /// assert_eq!(cprng::Engine::default().name(), c"chacha8");
    /// ```
    pub fn name(self) -> &'static CStr {
        match self {
            Self::ChaCha20 => c"chacha20",
            Self::ChaCha12 => c"chacha12",
            Self::ChaCha8 => c"chacha8",
            Self::Salsa20 => c"salsa20",
            Self::Salsa20R12 => c"salsa20-12",
            Self::Salsa20R8 => c"salsa20-8",
            Self::Aes256Ctr => c"aes256-ctr",
            Self::Aes128Ctr => c"aes128-ctr",
        }
    }
}
