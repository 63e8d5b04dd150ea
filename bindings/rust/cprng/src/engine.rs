// SPDX-License-Identifier: BSD-2-Clause
use crate::Error;
use core::ffi::c_char;
use core::{fmt, str::FromStr};

macro_rules! engines {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The cipher of a stream.  `Display` writes its name in the C library, and `FromStr` reads it.
        ///
        /// # Examples
        /// ```
        /// use cprng::{Engine, Stream};
        /// let rfc8439 = Stream::keyed(Engine::ChaCha20, &[0; 32], &[0; 12])?;
        /// assert_eq!("aes256-ctr".parse::<Engine>()?.to_string(), "aes256-ctr");
        /// # Ok::<(), cprng::Error>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum Engine {
            $($(#[$doc])* $name,)*
        }

        impl Engine {
            /// The engine's name in the C library.
            ///
            /// # Examples
            /// ```
            /// assert_eq!(cprng::Engine::default().name(), "chacha8");
            /// ```
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            /// The name as a string of C.
            pub(crate) fn c_name(self) -> *const c_char {
                match self {
                    $(Self::$name => concat!($text, "\0").as_ptr().cast(),)*
                }
            }
        }

        impl FromStr for Engine {
            type Err = Error;

            fn from_str(name: &str) -> Result<Self, Error> {
                match name {
                    $($text => Ok(Self::$name),)*
                    _ => Err(Error::Engine),
                }
            }
        }
    };
}

engines! {
    /// ChaCha with 20 rounds: RFC 8439, or a nonce of 8 bytes.
    ChaCha20 = "chacha20",
    /// ChaCha with 12 rounds.
    ChaCha12 = "chacha12",
    /// ChaCha with 8 rounds: the default engine of seeded streams.
    #[default]
    ChaCha8 = "chacha8",
    /// Salsa20/20.
    Salsa20 = "salsa20",
    /// Salsa20/12.
    Salsa20R12 = "salsa20-12",
    /// Salsa20/8.
    Salsa20R8 = "salsa20-8",
    /// AES-256 in counter mode, SP 800-38A.
    Aes256Ctr = "aes256-ctr",
    /// AES-128 in counter mode.
    Aes128Ctr = "aes128-ctr",
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
