// SPDX-License-Identifier: BSD-2-Clause
use core::ffi::{c_int, CStr};
use core::fmt;

macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident = $code:ident,)*) => {
        /// Why a function did nothing.  No function that can fail returns random bytes: if they are unavailable, the
        /// process is aborted with a message.
        ///
        /// # Examples
        /// ```
        /// let error = cprng::Stream::from_bytes(cprng::Engine::default(), b"too short").unwrap_err();
        /// assert_eq!(error, cprng::Error::Size);
        /// assert!(!error.to_string().is_empty());
        /// ```
        #[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[$doc])* $name,)*
            /// An error of a later version of the C library.
            Unknown(c_int),
        }

        impl Error {
            fn from_code(code: c_int) -> Self {
                match code {
                    $(cprng_sys::$code => Self::$name,)*
                    _ => Self::Unknown(code),
                }
            }

            fn code(self) -> c_int {
                match self {
                    $(Self::$name => cprng_sys::$code,)*
                    Self::Unknown(code) => code,
                }
            }
        }
    };
}

errors! {
    /// No engine of that name.
    Engine = CPRNG_ERR_ENGINE,
    /// The engine does not take a key of that many bytes.
    KeySize = CPRNG_ERR_KEY_SIZE,
    /// The engine does not take a nonce of that many bytes.
    NonceSize = CPRNG_ERR_NONCE_SIZE,
    /// Past the end of the keystream or of 64-bit byte offsets.
    Range = CPRNG_ERR_RANGE,
    /// The kernel's random numbers are unavailable.
    Entropy = CPRNG_ERR_ENTROPY,
    /// Every backend of the engine fails its known answers.
    SelfTest = CPRNG_ERR_SELFTEST,
    /// An argument is out of its range.
    Argument = CPRNG_ERR_ARGUMENT,
    /// No entropy source of that number.
    Source = CPRNG_ERR_SOURCE,
    /// Too many bytes for an event, or too few for a seed.
    Size = CPRNG_ERR_SIZE,
    /// The harvest queue is full: the event was dropped.
    Full = CPRNG_ERR_FULL,
    /// There was no reseed yet, so there is no output.
    Unseeded = CPRNG_ERR_UNSEEDED,
    /// No memory.
    Memory = CPRNG_ERR_MEMORY,
    /// Pages cannot be wiped on a fork here.
    Unsupported = CPRNG_ERR_UNSUPPORTED,
    /// A system call failed: `std::io::Error::last_os_error()` says why.
    System = CPRNG_ERR_SYSTEM,
    /// Not a regular file.
    FileType = CPRNG_ERR_FILE_TYPE,
    /// The file belongs to another user.
    FileOwner = CPRNG_ERR_FILE_OWNER,
    /// Another process holds the lock of the file.
    Busy = CPRNG_ERR_BUSY,
    /// Not a checkpoint of a stream, or not a whole one.
    Checkpoint = CPRNG_ERR_CHECKPOINT,
}

impl Error {
    /// 0 is no error.
    #[inline]
    pub(crate) fn check(code: c_int) -> Result<(), Self> {
        if code == cprng_sys::CPRNG_OK {
            return Ok(());
        }
        Err(Self::from_code(code))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(text(cprng_sys::cprng_strerror(self.code())))
    }
}

impl core::error::Error for Error {}

/// For calls of which only arguments can be refused, and these are right.
pub(crate) fn sure(code: c_int) {
    assert!(code == cprng_sys::CPRNG_OK, "the C library refuses an argument of its crate");
}

/// A static string of the library's.
pub(crate) fn text(pointer: *const core::ffi::c_char) -> &'static str {
    if pointer.is_null() {
        return "";
    }
    // SAFETY: the library's names and messages are static and end with a NUL.
    unsafe { CStr::from_ptr(pointer) }.to_str().unwrap_or("")
}
