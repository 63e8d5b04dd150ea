// SPDX-License-Identifier: BSD-2-Clause
use crate::error::sure;
use crate::range::{empty, ends, some};
use crate::{Engine, Error};
use core::ffi::c_int;
use core::fmt;
use core::mem::MaybeUninit;
use core::ops::RangeInclusive;
use cprng_sys::cprng_stream;

/// The result of [`Stream::save`] for [`Stream::restore`]: engine, key, nonce and offset with a checksum, the same on
/// every machine.  As secret as the key.
///
/// # Examples
/// ```
/// let checkpoint: cprng::Checkpoint = cprng::Stream::new(42).save();
/// # assert!(cprng::Stream::restore(&checkpoint).is_ok());
/// ```
pub type Checkpoint = [u8; cprng_sys::CPRNG_STREAM_CHECKPOINT_SIZE];

/// Reproducible bytes and numbers from a seed: for simulations, tests and test data.  **Not for secrets**: bytes that were read
/// are not erased, and the seed reveals all.  So `Stream` implements `TryRng` and `SeedableRng`, and not `TryCryptoRng`:
///
/// ```compile_fail
/// fn make_key(rng: &mut impl rand_core::CryptoRng) {}
/// make_key(&mut cprng::Stream::new(42)); // does not compile
/// ```
///
/// Equal engine, key and nonce always give equal bytes, and equal numbers made from them, on every machine, in every
/// language that has the library: docs/streams-specification.md of the project defines how numbers are made from bytes.
///
/// A stream takes a kilobyte and a half by value: box it if it moves often.  A clone continues from the same offset and
/// gives the original's numbers; another thread or process should take a [`child`](Self::child).  Dropping a stream
/// erases key and buffer, but a move in Rust may leave a copy behind.  With the feature `serde` a stream is serialized as its
/// [`Checkpoint`], which is as secret as the key.
///
/// # Examples
/// ```
/// let mut stream = cprng::Stream::new(42);
/// let first = stream.f64();
/// stream.seek(0)?;
/// assert_eq!(stream.f64(), first);
/// # Ok::<(), cprng::Error>(())
/// ```
#[derive(Clone)]
pub struct Stream(cprng_stream); // for rand 0.9 the crate cprng needs the feature rand_core_09, for rand 0.8 rand_core_06

/// Does not show the key.
impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("offset", &self.tell()).finish_non_exhaustive()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: it is a stream, which is no longer used.
        unsafe { cprng_sys::cprng_stream_wipe(&mut self.0) }
    }
}

/// The panic of a function that returns no error.
#[cold]
#[inline(never)]
fn refused(error: Error) -> ! {
    panic!("cprng: a stream: {error}")
}

/// Construction and checkpoints.
impl Stream {
    fn made(begin: impl FnOnce(*mut cprng_stream) -> c_int) -> Result<Self, Error> {
        let mut s = MaybeUninit::<cprng_stream>::zeroed();
        Error::check(begin(s.as_mut_ptr()))?;
        // SAFETY: it is a stream after a success; before, it was all zero, which is valid.
        Ok(Self(unsafe { s.assume_init() }))
    }

    /// The C library's object, for the other modules.
    pub(crate) fn raw(&mut self) -> *mut cprng_stream {
        &mut self.0
    }

    /// What a function of C stores, or its error.
    pub(crate) fn get<T: Default>(&mut self, store: impl FnOnce(*mut cprng_stream, *mut T) -> c_int) -> Result<T, Error> {
        let mut value = T::default();
        Error::check(store(&mut self.0, &mut value))?;
        Ok(value)
    }

    /// The same, in functions that return no error.
    pub(crate) fn must<T: Default>(&mut self, store: impl FnOnce(*mut cprng_stream, *mut T) -> c_int) -> T {
        self.get(store).unwrap_or_else(|error| refused(error))
    }

    /// Start the stream of an integer, which may be 0.
    ///
    /// # Panics
    /// If no backend of the engine passes its known answers.
    ///
    /// # Examples
    /// ```
    /// let mut stream = cprng::Stream::new(42);
    /// assert_eq!(stream.u64(), cprng::Stream::new(42).u64());
    /// ```
    pub fn new(seed: u64) -> Self {
        Self::from_integer(Engine::default(), seed).unwrap_or_else(|error| refused(error))
    }

    /// Like [`new`](Self::new), with a named engine, for an integer of any type that fits in an `i128`.
    ///
    /// # Errors
    /// [`Error::SelfTest`] where `new` panics.
    ///
    /// # Examples
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut stream = Stream::from_integer(Engine::Aes256Ctr, -42)?;
    /// # assert_ne!(stream.u64(), Stream::from_integer(Engine::Aes256Ctr, 42)?.u64());
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn from_integer(engine: Engine, seed: impl Into<i128>) -> Result<Self, Error> {
        let seed = seed.into();
        let magnitude = seed.unsigned_abs().to_le_bytes();
        // SAFETY: room for a stream, a string of C, and the array's bytes.
        Self::made(|s| unsafe {
            let start = magnitude.as_ptr().cast();
            cprng_sys::cprng_stream_seed_number(s, engine.c_name(), start, magnitude.len(), (seed < 0).into())
        })
    }

    /// Start the stream of a string.  The string "42" is not the integer 42.
    ///
    /// # Errors
    /// [`Error::Size`] if the string is empty, [`Error::Argument`] if it contains a NUL, and [`Error::SelfTest`].
    ///
    /// # Examples
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut stream = Stream::from_string(Engine::default(), "experiment 7")?;
    /// # stream.u64();
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn from_string(engine: Engine, seed: &str) -> Result<Self, Error> {
        // SAFETY: room for a stream, a string of C, and the slice's bytes.
        Self::made(|s| unsafe { cprng_sys::cprng_stream_seed_text(s, engine.c_name(), seed.as_ptr().cast(), seed.len()) })
    }

    /// Start the stream of a seed of 16 bytes or more (`SeedableRng` uses 32, and the default engine).
    ///
    /// # Errors
    /// [`Error::Size`] if there are fewer, and [`Error::SelfTest`].
    ///
    /// # Examples
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut stream = Stream::from_bytes(Engine::ChaCha20, &[7; 16])?;
    /// # stream.u64();
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn from_bytes(engine: Engine, seed: &[u8]) -> Result<Self, Error> {
        // SAFETY: room for a stream, a string of C, and the slice's bytes.
        Self::made(|s| unsafe { cprng_sys::cprng_stream_seed_bytes(s, engine.c_name(), seed.as_ptr().cast(), seed.len()) })
    }

    /// For `SeedableRng`, whose seeds are long enough.
    #[cfg(any(feature = "rand_core", feature = "rand_core_09", feature = "rand_core_06"))]
    pub(crate) fn from_key_material(seed: &[u8; 32]) -> Self {
        Self::from_bytes(Engine::default(), seed).unwrap_or_else(|error| refused(error))
    }

    /// Start at offset 0 of the keystream of an engine under a key and a nonce; an empty nonce means the engine's first size,
    /// all zero.
    ///
    /// # Errors
    /// [`Error::KeySize`], [`Error::NonceSize`] or [`Error::SelfTest`].
    ///
    /// # Examples
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut block = [0; 4];
    /// Stream::keyed(Engine::ChaCha20, &[0; 32], &[])?.read(&mut block)?;
    /// assert_eq!(block, [0x76, 0xb8, 0xe0, 0xad]);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn keyed(engine: Engine, key: &[u8], nonce: &[u8]) -> Result<Self, Error> {
        let start = if nonce.is_empty() { core::ptr::null() } else { nonce.as_ptr() };
        // SAFETY: room for a stream, a string of C, and the slices' bytes.
        Self::made(|s| unsafe {
            let (name, key_start) = (engine.c_name(), key.as_ptr().cast());
            cprng_sys::cprng_stream_init(s, name, key_start, key.len(), start.cast(), nonce.len())
        })
    }

    /// Start child number `index`, independent of the stream and of its other children.  The stream's offset has no influence.
    ///
    /// # Errors
    /// [`Error::SelfTest`].
    ///
    /// # Examples
    /// ```
    /// let parent = cprng::Stream::new(42);
    /// let mut of_worker_3 = parent.child(3)?;
    /// assert_eq!(of_worker_3.u64(), parent.child(3)?.u64());
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn child(&self, index: u64) -> Result<Self, Error> {
        // SAFETY: a stream, and room for another.
        Self::made(|s| unsafe { cprng_sys::cprng_stream_child(&self.0, index, s) })
    }

    /// Return a checkpoint.
    ///
    /// # Examples
    /// ```
    /// let mut stream = cprng::Stream::new(42);
    /// let checkpoint = stream.save();
    /// let next = stream.u64();
    /// assert_eq!(cprng::Stream::restore(&checkpoint)?.u64(), next);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn save(&self) -> Checkpoint {
        let mut checkpoint = [0; cprng_sys::CPRNG_STREAM_CHECKPOINT_SIZE];
        // SAFETY: a stream, and the array's bytes.
        sure(unsafe { cprng_sys::cprng_stream_save(&self.0, checkpoint.as_mut_ptr().cast(), checkpoint.len()) });
        checkpoint
    }

    /// Continue from a checkpoint.
    ///
    /// # Errors
    /// [`Error::Checkpoint`] if the bytes are no checkpoint, and [`Error::SelfTest`].
    ///
    /// # Examples
    /// ```
    /// assert_eq!(cprng::Stream::restore(b"something else").unwrap_err(), cprng::Error::Checkpoint);
    /// ```
    pub fn restore(checkpoint: &[u8]) -> Result<Self, Error> {
        // SAFETY: room for a stream, and the slice's bytes.
        Self::made(|s| unsafe { cprng_sys::cprng_stream_restore(s, checkpoint.as_ptr().cast(), checkpoint.len()) })
    }
}

/// Bytes and offsets.
impl Stream {
    /// Write the next bytes to `buf`; any split gives the same bytes.
    ///
    /// # Errors
    /// [`Error::Range`], with nothing written, if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// let mut data = [0; 1000];
    /// cprng::Stream::new(42).read(&mut data)?;
    /// # Ok::<(), cprng::Error>(())
    /// ```
    #[inline]
    pub fn read(&mut self, buf: &mut [u8]) -> Result<(), Error> {
        // SAFETY: a stream, and the slice's bytes.
        Error::check(unsafe { cprng_sys::stream_read(&mut self.0, buf.as_mut_ptr(), buf.len()) })
    }

    /// Like [`read`](Self::read), without an error.
    ///
    /// # Panics
    /// If the stream ends first, after 2^64 - 1 bytes (2^38 with a nonce of 12 bytes).
    ///
    /// # Examples
    /// ```
    /// let mut data = [0; 1000];
    /// cprng::Stream::new(42).fill_bytes(&mut data);
    /// # assert_ne!(data, [0; 1000]);
    /// ```
    #[inline]
    pub fn fill_bytes(&mut self, buf: &mut [u8]) {
        if let Err(error) = self.read(buf) {
            refused(error);
        }
    }

    /// Set the offset, in constant time.
    ///
    /// # Errors
    /// [`Error::Range`], with the offset as it was, past the end.
    ///
    /// # Examples
    /// ```
    /// let mut stream = cprng::Stream::new(42);
    /// stream.seek(8 * 1_000_000)?; // number 1,000,000 of a run of u64()
    /// # assert_eq!(stream.tell(), 8_000_000);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn seek(&mut self, offset: u64) -> Result<(), Error> {
        // SAFETY: a stream.
        Error::check(unsafe { cprng_sys::cprng_stream_seek(&mut self.0, offset) })
    }

    /// Return the offset of the next byte.
    ///
    /// # Examples
    /// ```
    /// let mut stream = cprng::Stream::new(42);
    /// stream.u32();
    /// assert_eq!(stream.tell(), 4);
    /// ```
    pub fn tell(&self) -> u64 {
        // SAFETY: a stream.
        unsafe { cprng_sys::cprng_stream_tell(&self.0) }
    }

    /// Advance the offset by this many bytes, or move it back, in constant time.
    ///
    /// # Errors
    /// [`Error::Range`], with the offset unchanged, if there is no such offset.
    ///
    /// # Examples
    /// ```
    /// let mut stream = cprng::Stream::new(42);
    /// stream.advance(100)?;
    /// assert_eq!(stream.advance(-101).unwrap_err(), cprng::Error::Range);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn advance(&mut self, bytes: i64) -> Result<(), Error> {
        // SAFETY: a stream.
        Error::check(unsafe { cprng_sys::cprng_stream_advance(&mut self.0, bytes) })
    }
}

macro_rules! numbers {
    ($($doc:literal $name:ident: $type:ident = |$s:ident| $value:expr;)*) => {$(
        #[doc = $doc]
        ///
        /// # Panics
        /// If the stream ends first.
        ///
        /// # Examples
        /// ```
        #[doc = concat!("let number: ", stringify!($type), " = cprng::Stream::new(42).", stringify!($name), "();")]
        #[doc = concat!("# assert_eq!(number, cprng::Stream::new(42).", stringify!($name), "());")]
        /// ```
        #[inline]
        pub fn $name(&mut self) -> $type {
            let $s = self;
            $value
        }
    )*};
}

/// Numbers, each made from the next bytes.
impl Stream {
    numbers! {
        // SAFETY: a stream, here and below.
        "Return the next byte." u8: u8 = |s| unsafe { cprng_sys::stream8(&mut s.0) };
        // SAFETY: as above.
        "Return an integer of two bytes." u16: u16 = |s| unsafe { cprng_sys::stream16(&mut s.0) };
        // SAFETY: as above.
        "Return an integer of four bytes." u32: u32 = |s| unsafe { cprng_sys::stream32(&mut s.0) };
        // SAFETY: as above.
        "Return an integer of eight bytes." u64: u64 = |s| unsafe { cprng_sys::stream64(&mut s.0) };
        "Return the lowest bit of a byte." bool: bool = |s| s.u8() & 1 == 1;
        "Return a uniform multiple of 2^-24 in [0, 1), from 4 bytes."
        f32: f32 = |s| (s.u32() >> 8) as f32 * (1.0 / (1u32 << 24) as f32);
        "Return a uniform multiple of 2^-53 in [0, 1), from 8 bytes."
        f64: f64 = |s| (s.u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
    }

    /// Return a uniform integer in `[0, bound)`.  Takes 4 bytes for each try.
    ///
    /// # Panics
    /// If `bound` is 0, or if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Stream::new(42).below(6) < 6);
    /// ```
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        // Like Cprng::below().
        if bound == 0 {
            empty();
        }
        let product = u64::from(self.u32()) * u64::from(bound);
        if (product as u32) < bound && (product as u32) < bound.wrapping_neg() % bound {
            return self.below_again(bound);
        }
        (product >> 32) as u32
    }

    /// After a refused try: an array of one number repeats it and goes on, and if the stream ends first moves back.
    #[cold]
    fn below_again(&mut self, bound: u32) -> u32 {
        self.advance(-4).unwrap_or_else(|error| refused(error));
        // SAFETY: a stream, and room for a number.
        self.must(|s, out| unsafe { cprng_sys::cprng_stream_fill_uniform32(s, out, 1, bound) })
    }

    /// Like [`below`](Self::below), with 64 bits.
    ///
    /// # Panics
    /// If `bound` is 0, or if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Stream::new(42).below_u64(10_000_000_000) < 10_000_000_000);
    /// ```
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        let Ok([bound]) = some(bound) else { empty() };
        // SAFETY: a stream, and room for a number, here and below.
        self.must(|s, out| unsafe { cprng_sys::cprng_stream_try_uniform64(s, out, bound) })
    }

    /// Return a uniform integer in a range, both ends included.
    ///
    /// # Panics
    /// If the range is empty, or if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// assert!((1..=6).contains(&cprng::Stream::new(42).range(1..=6)));
    /// ```
    pub fn range(&mut self, range: RangeInclusive<u64>) -> u64 {
        let Ok([lo, hi]) = ends(range) else { empty() };
        // SAFETY: as above.
        self.must(|s, out| unsafe { cprng_sys::cprng_stream_try_range64(s, out, lo, hi) })
    }

    /// Like [`range`](Self::range), for signed integers.
    ///
    /// # Panics
    /// If the range is empty, or if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// assert!((-10..=10).contains(&cprng::Stream::new(42).range_i64(-10..=10)));
    /// ```
    pub fn range_i64(&mut self, range: RangeInclusive<i64>) -> i64 {
        let Ok([lo, hi]) = ends(range) else { empty() };
        // SAFETY: as above.
        self.must(|s, out| unsafe { cprng_sys::cprng_stream_try_int_range(s, out, lo, hi) })
    }

    /// Return a normally distributed number, from 8 bytes.  If `mu` or `sigma` is not finite or `sigma` is negative, return NaN and
    /// take no bytes.
    ///
    /// # Panics
    /// If the stream ends first.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Stream::new(42).normal(0.0, 1.0).abs() < 9.1);
    /// ```
    #[inline]
    pub fn normal(&mut self, mu: f64, sigma: f64) -> f64 {
        // SAFETY: as above.
        self.real(|s, out| unsafe { cprng_sys::cprng_stream_try_normal(s, out, mu, sigma) })
    }

    /// Return an exponentially distributed number, from 8 bytes.  If `mean` is negative or not finite, return NaN and take no
    /// bytes.
    ///
    /// # Panics
    /// If the stream ends first.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Stream::new(42).exponential(1.0) > 0.0);
    /// ```
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // SAFETY: as above.
        self.real(|s, out| unsafe { cprng_sys::cprng_stream_try_exponential(s, out, mean) })
    }

    fn real(&mut self, store: impl FnOnce(*mut cprng_stream, *mut f64) -> c_int) -> f64 {
        match self.get(store) {
            Err(Error::Argument) => f64::NAN,
            made => made.unwrap_or_else(|error| refused(error)),
        }
    }
}

macro_rules! fills {
    ($($name:ident: $type:ident = $function:ident, $single:ident($($($example:tt)+)?)
       $(, $($argument:ident: $kind:ty),+ => [$($given:ident),+] = $checked:expr, $wrong:literal)?;)*) => {$(
        #[doc = concat!("Fill a slice with the numbers that [`", stringify!($single), "`](Self::", stringify!($single), ") would return.")]
        ///
        /// # Errors
        /// [`Error::Range`] if the stream ends first.
        $(#[doc = concat!("[`Error::Argument`], with nothing written, if ", $wrong, ".")])?
        ///
        /// # Examples
        /// ```
        #[doc = concat!("let mut numbers = [0", stringify!($type), "; 10];")]
        #[doc = concat!("cprng::Stream::new(42).", stringify!($name), "(&mut numbers" $(, ", ", stringify!($($example)+))?, ")?;")]
        #[doc = concat!("assert_eq!(numbers[0], cprng::Stream::new(42).", stringify!($single), "(" $(, stringify!($($example)+))?, "));")]
        /// # Ok::<(), cprng::Error>(())
        /// ```
        pub fn $name(&mut self, out: &mut [$type] $($(, $argument: $kind)+)?) -> Result<(), Error> {
            $(let [$($given),+] = $checked;)?
            // SAFETY: the numbers are the slice's.
            Error::check(unsafe { cprng_sys::$function(&mut self.0, out.as_mut_ptr(), out.len() $($(, $given)+)?) })
        }
    )*};
}

/// Arrays: the same results as single calls, but faster.  If the stream ends first the offset is unchanged, and nothing is written
/// but other bounded integers.
impl Stream {
    fills! {
        fill_u32: u32 = cprng_stream_fill_u32, u32();
        fill_u64: u64 = cprng_stream_fill_u64, u64();
        fill_f32: f32 = cprng_stream_fill_float, f32();
        fill_f64: f64 = cprng_stream_fill_double, f64();
        fill_below: u32 = cprng_stream_fill_uniform32, below(6), bound: u32 => [bound] = some(bound)?, "`bound` is 0";
        fill_below_u64: u64 = cprng_stream_fill_uniform64, below_u64(6), bound: u64 => [bound] = some(bound)?, "`bound` is 0";
        fill_range: u64 = cprng_stream_fill_range64, range(1..=6),
            range: RangeInclusive<u64> => [lo, hi] = ends(range)?, "the range is empty";
        fill_range_i64: i64 = cprng_stream_fill_int_range, range_i64(-10..=10),
            range: RangeInclusive<i64> => [lo, hi] = ends(range)?, "the range is empty";
        fill_normal: f64 = cprng_stream_fill_normal, normal(0.0, 1.0),
            mu: f64, sigma: f64 => [mu, sigma] = [mu, sigma], "`normal` returns NaN";
        fill_exponential: f64 = cprng_stream_fill_exponential, exponential(1.5),
            mean: f64 => [mean] = [mean], "`exponential` returns NaN";
    }
}
