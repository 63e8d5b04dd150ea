// SPDX-License-Identifier: BSD-2-Clause
use crate::{Engine, Error};
use core::ffi::CStr;
use core::fmt;
use core::mem::MaybeUninit;
use core::ops::RangeInclusive;
use cprng_sys::cprng_stream;

/// The result of [`Stream::save`] for [`Stream::restore`]: engine, key, nonce and offset with a checksum, the same on
/// every machine.  As secret as the key.
///
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
/// erases key and buffer, but a move in Rust may leave a copy behind.
///
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

macro_rules! fills {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $function:ident $(, $argument:ident: $kind:ty)?;)*) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, out: &mut [$type] $(, $argument: $kind)?) -> Result<(), Error> {
            // SAFETY: the numbers are the slice's.
            Error::check(unsafe { cprng_sys::$function(&mut self.0, out.as_mut_ptr(), out.len() $(, $argument)?) })
        }
    )*};
}

/// Construction and checkpoints.
impl Stream {
    fn made(begin: impl FnOnce(*mut cprng_stream) -> i32) -> Result<Self, Error> {
        let mut s = MaybeUninit::<cprng_stream>::zeroed();
        Error::check(begin(s.as_mut_ptr()))?;
        // SAFETY: it is a stream after a success; before, it was all zero, which is valid.
        Ok(Self(unsafe { s.assume_init() }))
    }

    /// The C library's object, for the other modules.
    pub(crate) fn raw(&mut self) -> *mut cprng_stream {
        &mut self.0
    }

    /// The seed is always long enough; only a defective backend can fail, and then no stream is possible.
    fn must(made: Result<Self, Error>) -> Self {
        made.unwrap_or_else(|error| panic!("cprng: a stream: {error}"))
    }

    /// Start the stream of an integer, which may be 0.  Panics if no backend of the engine passes its known answers.
    ///
    /// ```
    /// let mut stream = cprng::Stream::new(42);
    /// assert_eq!(stream.u64(), cprng::Stream::new(42).u64());
    /// ```
    pub fn new(seed: u64) -> Self {
        Self::must(Self::from_integer(Engine::default(), seed))
    }

    /// As [`new`](Self::new), with a named engine; it returns [`Error::SelfTest`] instead of panicking.
    ///
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut stream = Stream::from_integer(Engine::Aes256Ctr, 42)?;
    /// # assert_ne!(stream.u64(), Stream::new(42).u64());
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn from_integer(engine: Engine, seed: u64) -> Result<Self, Error> {
        // SAFETY: room for a stream, and a string of C.
        Self::made(|s| unsafe { cprng_sys::cprng_stream_seed_integer(s, engine.name().as_ptr(), seed) })
    }

    /// Start the stream of a string, which must not be empty ([`Error::Size`]).  The string "42" is not the integer 42.
    ///
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut stream = Stream::from_string(Engine::default(), c"experiment 7")?;
    /// # stream.u64();
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn from_string(engine: Engine, seed: &CStr) -> Result<Self, Error> {
        // SAFETY: room for a stream, and strings of C.
        Self::made(|s| unsafe { cprng_sys::cprng_stream_seed_string(s, engine.name().as_ptr(), seed.as_ptr()) })
    }

    /// Start the stream of a seed of 16 bytes or more (`SeedableRng` uses 32); fewer are refused with [`Error::Size`].
    ///
    /// ```
    /// let mut stream = cprng::Stream::from_bytes(&[7; 32])?;
    /// # stream.u64();
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn from_bytes(seed: &[u8]) -> Result<Self, Error> {
        Self::from_bytes_by(Engine::default(), seed)
    }

    /// As [`from_bytes`](Self::from_bytes), with a named engine.
    ///
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut stream = Stream::from_bytes_by(Engine::ChaCha20, &[7; 16])?;
    /// # stream.u64();
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn from_bytes_by(engine: Engine, seed: &[u8]) -> Result<Self, Error> {
        // SAFETY: room for a stream, a string of C, and the slice's bytes.
        Self::made(|s| unsafe { cprng_sys::cprng_stream_seed_bytes(s, engine.name().as_ptr(), seed.as_ptr().cast(), seed.len()) })
    }

    /// For `SeedableRng`, whose seeds are long enough.
    #[cfg(any(feature = "rand_core", feature = "rand_core_09", feature = "rand_core_06"))]
    pub(crate) fn from_key_material(seed: &[u8; 32]) -> Self {
        Self::must(Self::from_bytes(seed))
    }

    /// Start at offset 0 of the keystream of an engine under a key and a nonce; an empty nonce means the engine's first size,
    /// all zero.
    ///
    /// Fails with [`Error::KeySize`], [`Error::NonceSize`] or [`Error::SelfTest`].
    ///
    /// ```
    /// use cprng::{Engine, Stream};
    /// let mut block = [0; 4];
    /// Stream::keyed(Engine::ChaCha20, &[0; 32], &[])?.read(&mut block)?;
    /// assert_eq!(block, [0x76, 0xb8, 0xe0, 0xad]);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn keyed(engine: Engine, key: &[u8], nonce: &[u8]) -> Result<Self, Error> {
        let nonce_start = if nonce.is_empty() { core::ptr::null() } else { nonce.as_ptr() };
        // SAFETY: room for a stream, a string of C, and the slices' bytes.
        Self::made(|s| unsafe {
            let engine = engine.name().as_ptr();
            cprng_sys::cprng_stream_init(s, engine, key.as_ptr().cast(), key.len(), nonce_start.cast(), nonce.len())
        })
    }

    /// Start child number `index`, independent of the stream and of its other children.  The stream's offset has no influence.
    ///
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

    /// The older name of [`child`](Self::child).
    ///
    /// ```
    /// # #![allow(deprecated)]
    /// let parent = cprng::Stream::new(42);
    /// assert_eq!(parent.spawn(3)?.u64(), parent.child(3)?.u64());
    /// # Ok::<(), cprng::Error>(())
    /// ```
    #[deprecated(note = "use `child`, which all languages have: this name goes with version 1.0")]
    pub fn spawn(&self, index: u64) -> Result<Self, Error> {
        self.child(index)
    }

    /// Return a checkpoint.
    ///
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
        let code = unsafe { cprng_sys::cprng_stream_save(&self.0, checkpoint.as_mut_ptr().cast(), checkpoint.len()) };
        assert!(code == cprng_sys::CPRNG_OK, "a stream has a checkpoint");
        checkpoint
    }

    /// Continue from a checkpoint.
    ///
    /// Fails with [`Error::Checkpoint`] if the bytes are no checkpoint, and with [`Error::SelfTest`].
    ///
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
    /// Fails with [`Error::Range`], with nothing written, if the stream ends first.
    ///
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

    /// As [`read`](Self::read); panics if the stream ends first, after 2^64 - 1 bytes (2^38 with a nonce of 12 bytes).
    ///
    /// ```
    /// let mut data = [0; 1000];
    /// cprng::Stream::new(42).fill_bytes(&mut data);
    /// # assert_ne!(data, [0; 1000]);
    /// ```
    #[inline]
    pub fn fill_bytes(&mut self, buf: &mut [u8]) {
        if let Err(error) = self.read(buf) {
            panic!("cprng: a stream: {error}");
        }
    }

    /// Set the offset, in constant time.
    ///
    /// Fails with [`Error::Range`], with the offset as it was, past the end.
    ///
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
    /// Fails with [`Error::Range`], with the offset unchanged, if there is no such offset.
    ///
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

/// Numbers, each made from the next bytes.  If the stream ends before a number's last byte, the process is aborted.
impl Stream {
    /// Return the next byte.
    ///
    /// ```
    /// let byte = cprng::Stream::new(42).u8();
    /// # let _: u8 = byte;
    /// ```
    #[inline]
    pub fn u8(&mut self) -> u8 {
        // SAFETY: a stream, here and below.
        unsafe { cprng_sys::stream8(&mut self.0) }
    }

    /// Return an integer of two bytes.
    ///
    /// ```
    /// let number = cprng::Stream::new(42).u16();
    /// # let _: u16 = number;
    /// ```
    #[inline]
    pub fn u16(&mut self) -> u16 {
        // SAFETY: as above.
        unsafe { cprng_sys::stream16(&mut self.0) }
    }

    /// Return an integer of four bytes.
    ///
    /// ```
    /// let number = cprng::Stream::new(42).u32();
    /// # let _: u32 = number;
    /// ```
    #[inline]
    pub fn u32(&mut self) -> u32 {
        // SAFETY: as above.
        unsafe { cprng_sys::stream32(&mut self.0) }
    }

    /// Return an integer of eight bytes.
    ///
    /// ```
    /// let number = cprng::Stream::new(42).u64();
    /// # let _: u64 = number;
    /// ```
    #[inline]
    pub fn u64(&mut self) -> u64 {
        // SAFETY: as above.
        unsafe { cprng_sys::stream64(&mut self.0) }
    }

    /// Return the lowest bit of a byte.
    ///
    /// ```
    /// let heads = cprng::Stream::new(42).bool();
    /// # let _: bool = heads;
    /// ```
    #[inline]
    pub fn bool(&mut self) -> bool {
        self.u8() & 1 == 1
    }

    /// Return a uniform multiple of 2^-24 in [0, 1), from 4 bytes.
    ///
    /// ```
    /// assert!((0.0..1.0).contains(&cprng::Stream::new(42).f32()));
    /// ```
    #[inline]
    pub fn f32(&mut self) -> f32 {
        (self.u32() >> 8) as f32 * (1.0 / (1u32 << 24) as f32)
    }

    /// Return a uniform multiple of 2^-53 in [0, 1), from 8 bytes.
    ///
    /// ```
    /// assert!((0.0..1.0).contains(&cprng::Stream::new(42).f64()));
    /// ```
    #[inline]
    pub fn f64(&mut self) -> f64 {
        (self.u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Return a uniform integer in `[0, bound)`; 0 for a bound of 0 or 1.  Takes 4 bytes for each try.
    ///
    /// ```
    /// assert!(cprng::Stream::new(42).below(6) < 6);
    /// ```
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        // As Cprng::below().
        let mut product = u64::from(self.u32()) * u64::from(bound);
        if (product as u32) < bound {
            let refused = bound.wrapping_neg() % bound;
            while (product as u32) < refused {
                product = u64::from(self.u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// As [`below`](Self::below), with 64 bits.
    ///
    /// ```
    /// assert!(cprng::Stream::new(42).below_u64(10_000_000_000) < 10_000_000_000);
    /// ```
    pub fn below_u64(&mut self, bound: u64) -> u64 {
        // SAFETY: a stream.
        unsafe { cprng_sys::cprng_stream_uniform64(&mut self.0, bound) }
    }

    /// Return a uniform integer in a range, both ends included; either may be the larger.
    ///
    /// ```
    /// assert!((1..=6).contains(&cprng::Stream::new(42).range(1..=6)));
    /// ```
    pub fn range(&mut self, range: RangeInclusive<u64>) -> u64 {
        // SAFETY: a stream.
        unsafe { cprng_sys::cprng_stream_range64(&mut self.0, *range.start(), *range.end()) }
    }

    /// As [`range`](Self::range), for signed integers.
    ///
    /// ```
    /// assert!((-10..=10).contains(&cprng::Stream::new(42).range_i64(-10..=10)));
    /// ```
    pub fn range_i64(&mut self, range: RangeInclusive<i64>) -> i64 {
        // SAFETY: a stream.
        unsafe { cprng_sys::cprng_stream_int_range(&mut self.0, *range.start(), *range.end()) }
    }

    /// Return a normally distributed number, from 8 bytes.  If `mu` or `sigma` is not finite or `sigma` is negative, return NaN and
    /// take no bytes.
    ///
    /// ```
    /// assert!(cprng::Stream::new(42).normal(0.0, 1.0).abs() < 9.1);
    /// ```
    #[inline]
    pub fn normal(&mut self, mu: f64, sigma: f64) -> f64 {
        // SAFETY: a stream.
        unsafe { cprng_sys::cprng_stream_normal(&mut self.0, mu, sigma) }
    }

    /// Return an exponentially distributed number, from 8 bytes.  If `mean` is negative or not finite, return NaN and take no
    /// bytes.
    ///
    /// ```
    /// assert!(cprng::Stream::new(42).exponential(1.0) > 0.0);
    /// ```
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // SAFETY: a stream.
        unsafe { cprng_sys::cprng_stream_exponential(&mut self.0, mean) }
    }
}

/// Arrays: the same results as single calls, but faster.  They fail with [`Error::Range`] and write nothing if
/// the stream ends first; an array of bounded integers then contains other numbers.
impl Stream {
    fills! {
        /// Fill a slice with the numbers that [`u32`](Self::u32) would return.
        ///
        /// ```
        /// let mut numbers = [0; 10];
        /// cprng::Stream::new(42).fill_u32(&mut numbers)?;
        /// assert_eq!(numbers[0], cprng::Stream::new(42).u32());
        /// # Ok::<(), cprng::Error>(())
        /// ```
        fill_u32: u32, cprng_stream_fill_u32;
        /// Fill a slice with the numbers that [`u64`](Self::u64) would return.
        ///
        /// ```
        /// let mut numbers = [0; 10];
        /// cprng::Stream::new(42).fill_u64(&mut numbers)?;
        /// assert_eq!(numbers[0], cprng::Stream::new(42).u64());
        /// # Ok::<(), cprng::Error>(())
        /// ```
        fill_u64: u64, cprng_stream_fill_u64;
        /// Fill a slice with the numbers that [`f32`](Self::f32) would return.
        ///
        /// ```
        /// let mut numbers = [0.0; 10];
        /// cprng::Stream::new(42).fill_f32(&mut numbers)?;
        /// assert_eq!(numbers[0], cprng::Stream::new(42).f32());
        /// # Ok::<(), cprng::Error>(())
        /// ```
        fill_f32: f32, cprng_stream_fill_float;
        /// Fill a slice with the numbers that [`f64`](Self::f64) would return.
        ///
        /// ```
        /// let mut numbers = [0.0; 10];
        /// cprng::Stream::new(42).fill_f64(&mut numbers)?;
        /// assert_eq!(numbers[0], cprng::Stream::new(42).f64());
        /// # Ok::<(), cprng::Error>(())
        /// ```
        fill_f64: f64, cprng_stream_fill_double;
        /// Fill a slice with the numbers that [`below`](Self::below) would return.
        ///
        /// ```
        /// let mut throws = [0; 10];
        /// cprng::Stream::new(42).fill_below(&mut throws, 6)?;
        /// assert_eq!(throws[0], cprng::Stream::new(42).below(6));
        /// # Ok::<(), cprng::Error>(())
        /// ```
        fill_below: u32, cprng_stream_fill_uniform32, bound: u32;
        /// Fill a slice with the numbers that [`below_u64`](Self::below_u64) would return.
        ///
        /// ```
        /// let mut numbers = [0; 10];
        /// cprng::Stream::new(42).fill_below_u64(&mut numbers, 10_000_000_000)?;
        /// assert_eq!(numbers[0], cprng::Stream::new(42).below_u64(10_000_000_000));
        /// # Ok::<(), cprng::Error>(())
        /// ```
        fill_below_u64: u64, cprng_stream_fill_uniform64, bound: u64;
    }

    /// Fill a slice with the numbers that [`range`](Self::range) would return.
    ///
    /// ```
    /// let mut throws = [0; 10];
    /// cprng::Stream::new(42).fill_range(&mut throws, 1..=6)?;
    /// assert_eq!(throws[0], cprng::Stream::new(42).range(1..=6));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn fill_range(&mut self, out: &mut [u64], range: RangeInclusive<u64>) -> Result<(), Error> {
        let (lo, hi) = range.into_inner();
        // SAFETY: a stream, and the slice's numbers.
        Error::check(unsafe { cprng_sys::cprng_stream_fill_range64(&mut self.0, out.as_mut_ptr(), out.len(), lo, hi) })
    }

    /// Fill a slice with the numbers that [`range_i64`](Self::range_i64) would return.
    ///
    /// ```
    /// let mut steps = [0; 10];
    /// cprng::Stream::new(42).fill_range_i64(&mut steps, -10..=10)?;
    /// assert_eq!(steps[0], cprng::Stream::new(42).range_i64(-10..=10));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn fill_range_i64(&mut self, out: &mut [i64], range: RangeInclusive<i64>) -> Result<(), Error> {
        let (lo, hi) = range.into_inner();
        // SAFETY: a stream, and the slice's numbers.
        Error::check(unsafe { cprng_sys::cprng_stream_fill_int_range(&mut self.0, out.as_mut_ptr(), out.len(), lo, hi) })
    }

    /// Fill a slice with the numbers that [`normal`](Self::normal) would return; [`Error::Argument`] if that returns NaN.
    ///
    /// ```
    /// let mut numbers = [0.0; 10];
    /// cprng::Stream::new(42).fill_normal(&mut numbers, 0.0, 1.0)?;
    /// assert_eq!(numbers[0], cprng::Stream::new(42).normal(0.0, 1.0));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn fill_normal(&mut self, out: &mut [f64], mu: f64, sigma: f64) -> Result<(), Error> {
        // SAFETY: a stream, and the slice's numbers.
        Error::check(unsafe { cprng_sys::cprng_stream_fill_normal(&mut self.0, out.as_mut_ptr(), out.len(), mu, sigma) })
    }

    /// Fill a slice with the numbers that [`exponential`](Self::exponential) would return; [`Error::Argument`] if that returns NaN.
    ///
    /// ```
    /// let mut numbers = [0.0; 10];
    /// cprng::Stream::new(42).fill_exponential(&mut numbers, 1.0)?;
    /// assert_eq!(numbers[0], cprng::Stream::new(42).exponential(1.0));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn fill_exponential(&mut self, out: &mut [f64], mean: f64) -> Result<(), Error> {
        // SAFETY: a stream, and the slice's numbers.
        Error::check(unsafe { cprng_sys::cprng_stream_fill_exponential(&mut self.0, out.as_mut_ptr(), out.len(), mean) })
    }
}
