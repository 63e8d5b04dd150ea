// SPDX-License-Identifier: BSD-2-Clause
use crate::Error;
use core::ffi::c_int;
use core::mem::MaybeUninit;
use core::ops::RangeInclusive;

/// Fill `buf` with random bytes.
///
/// Up to 512 bytes come from the buffer of the thread's CPU; if the compiler knows a length of up to 64, it inlines the draw.  A
/// longer request is expanded directly into `buf` from a one-time key, which is wiped before the return.
///
/// ```
/// let mut key = [0u8; 32];
/// cprng::fill(&mut key);
/// assert_ne!(key, [0; 32]);
/// ```
#[inline]
pub fn fill(buf: &mut [u8]) {
    // SAFETY: the bytes are the slice's.
    unsafe { cprng_sys::fast(buf.as_mut_ptr(), buf.len()) }
}

/// Fill memory that need not be initialised, and return it as bytes.
///
/// ```
/// let mut memory = [const { core::mem::MaybeUninit::uninit() }; 1000];
/// let bytes = cprng::fill_uninit(&mut memory);
/// assert_eq!(bytes.len(), 1000);
/// ```
#[inline]
pub fn fill_uninit(buf: &mut [MaybeUninit<u8>]) -> &mut [u8] {
    // SAFETY: fast() writes all of it and reads nothing.
    unsafe {
        cprng_sys::fast(buf.as_mut_ptr().cast(), buf.len());
        cprng_sys::written(buf.as_ptr().cast(), buf.len());
        core::slice::from_raw_parts_mut(buf.as_mut_ptr().cast(), buf.len())
    }
}

/// Return an array of random bytes.  If no byte may stay on the stack, use [`fill`]: the compiler may copy the array.
///
/// ```
/// let nonce: [u8; 12] = cprng::bytes();
/// # assert_ne!(nonce, [0; 12]);
/// ```
#[inline]
pub fn bytes<const SIZE: usize>() -> [u8; SIZE] {
    let mut bytes = MaybeUninit::<[u8; SIZE]>::uninit();
    // SAFETY: as above.
    unsafe {
        cprng_sys::fast(bytes.as_mut_ptr().cast(), SIZE);
        cprng_sys::written(bytes.as_ptr().cast(), SIZE);
        bytes.assume_init()
    }
}

/// The process's generator: an empty handle, which any number of threads may hold and copy.
///
/// It implements `TryRng` and `TryCryptoRng` of rand_core 0.10, and so `Rng` and `CryptoRng`: it works wherever `rand` takes a
/// generator.  For secrets of any kind.
///
/// ```
/// use rand::{seq::SliceRandom, RngExt};
///
/// let mut rng = cprng::Cprng;
/// let die = rng.random_range(1..=6);
/// let mut deck: Vec<u8> = (0..52).collect();
/// deck.shuffle(&mut rng);
/// # assert!((1..=6).contains(&die));
/// ```
// The compiler shows this line and its comment if another rand's trait is required; likewise for Stream and Strong.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cprng; // for rand 0.9 the crate cprng needs the feature rand_core_09, for rand 0.8 rand_core_06

macro_rules! fills {
    ($($(#[$doc:meta])* $name:ident: $type:ty, $function:ident $(, $argument:ident: $kind:ty)?;)*) => {$(
        $(#[$doc])*
        pub fn $name(self, out: &mut [$type] $(, $argument: $kind)?) {
            // SAFETY: the numbers are the slice's.
            let code = unsafe { cprng_sys::$function(out.as_mut_ptr(), out.len() $(, $argument)?) };
            filled(code);
        }
    )*};
}

impl Cprng {
    /// Return a uniform integer of 8 bits.
    ///
    /// ```
    /// let byte = cprng::Cprng.u8();
    /// # let _: u8 = byte;
    /// ```
    #[inline]
    pub fn u8(self) -> u8 {
        cprng_sys::fast8()
    }

    /// Return a uniform integer of 16 bits.
    ///
    /// ```
    /// let port = 49152 + cprng::Cprng.u16() % 16384;
    /// # assert!(port >= 49152);
    /// ```
    #[inline]
    pub fn u16(self) -> u16 {
        cprng_sys::fast16()
    }

    /// Return a uniform integer of 32 bits.
    ///
    /// ```
    /// let ticket = cprng::Cprng.u32();
    /// # let _: u32 = ticket;
    /// ```
    #[inline]
    pub fn u32(self) -> u32 {
        cprng_sys::fast32()
    }

    /// Return a uniform integer of 64 bits.
    ///
    /// ```
    /// let id = cprng::Cprng.u64();
    /// # let _: u64 = id;
    /// ```
    #[inline]
    pub fn u64(self) -> u64 {
        cprng_sys::fast64()
    }

    /// Return `true` or `false` with equal probability.
    ///
    /// ```
    /// let heads = cprng::Cprng.bool();
    /// # let _: bool = heads;
    /// ```
    #[inline]
    pub fn bool(self) -> bool {
        self.u8() & 1 == 1
    }

    /// Return a uniform multiple of 2^-53 in [0, 1).
    ///
    /// ```
    /// assert!((0.0..1.0).contains(&cprng::Cprng.f64()));
    /// ```
    #[inline]
    pub fn f64(self) -> f64 {
        (self.u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Return a uniform multiple of 2^-24 in [0, 1).
    ///
    /// ```
    /// assert!((0.0..1.0).contains(&cprng::Cprng.f32()));
    /// ```
    #[inline]
    pub fn f32(self) -> f32 {
        (self.u32() >> 8) as f32 * (1.0 / (1u32 << 24) as f32)
    }

    /// Return a uniform integer in `[0, bound)`; 0 for a bound of 0 or 1.  Unbiased.
    ///
    /// ```
    /// assert!(cprng::Cprng.below(6) < 6);
    /// ```
    #[inline]
    pub fn below(self, bound: u32) -> u32 {
        // Lemire, doi:10.1145/3230636, as cprng_uniform32() in <cprng/draw.h>.
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
    /// assert!(cprng::Cprng.below_u64(10_000_000_000) < 10_000_000_000);
    /// ```
    #[inline]
    pub fn below_u64(self, bound: u64) -> u64 {
        cprng_sys::cprng_uniform64(bound)
    }

    /// Return a uniform integer in a range, both ends included; either may be the larger.  Unbiased.
    ///
    /// ```
    /// assert!((49152..=65535).contains(&cprng::Cprng.range(49152..=65535)));
    /// ```
    #[inline]
    pub fn range(self, range: RangeInclusive<u64>) -> u64 {
        cprng_sys::cprng_range64(*range.start(), *range.end())
    }

    /// As [`range`](Self::range), for signed integers.
    ///
    /// ```
    /// assert!((-10..=10).contains(&cprng::Cprng.range_i64(-10..=10)));
    /// ```
    #[inline]
    pub fn range_i64(self, range: RangeInclusive<i64>) -> i64 {
        cprng_sys::cprng_int_range(*range.start(), *range.end())
    }

    /// Return a normally distributed number with mean `mu` and standard deviation `sigma`, or NaN if one of them is not finite or
    /// `sigma` is negative.
    ///
    /// ```
    /// assert!(cprng::Cprng.normal(100.0, 15.0).is_finite());
    /// ```
    #[inline]
    pub fn normal(self, mu: f64, sigma: f64) -> f64 {
        cprng_sys::cprng_normal(mu, sigma)
    }

    /// Return an exponentially distributed number with this mean, or NaN if it is negative or not finite.
    ///
    /// ```
    /// assert!(cprng::Cprng.exponential(1.5) > 0.0);
    /// ```
    #[inline]
    pub fn exponential(self, mean: f64) -> f64 {
        cprng_sys::cprng_exponential(mean)
    }

    fills! {
        /// Fill a slice, faster than by single calls.
        ///
        /// ```
        /// let mut numbers = [0; 100];
        /// cprng::Cprng.fill_u32(&mut numbers);
        /// # assert_ne!(numbers, [0; 100]);
        /// ```
        fill_u32: u32, cprng_fill_u32;
        /// Fill a slice, faster than by single calls.
        ///
        /// ```
        /// let mut numbers = [0; 100];
        /// cprng::Cprng.fill_u64(&mut numbers);
        /// # assert_ne!(numbers, [0; 100]);
        /// ```
        fill_u64: u64, cprng_fill_u64;
        /// Fill a slice with the numbers that [`f32`](Self::f32) would return, faster than by single calls.
        ///
        /// ```
        /// let mut numbers = [0.0; 100];
        /// cprng::Cprng.fill_f32(&mut numbers);
        /// # assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        /// ```
        fill_f32: f32, cprng_fill_float;
        /// Fill a slice with the numbers that [`f64`](Self::f64) would return, faster than by single calls.
        ///
        /// ```
        /// let mut numbers = [0.0; 100];
        /// cprng::Cprng.fill_f64(&mut numbers);
        /// # assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        /// ```
        fill_f64: f64, cprng_fill_double;
        /// Fill a slice with integers of [`below`](Self::below), faster than by single calls.
        ///
        /// ```
        /// let mut throws = [0; 100];
        /// cprng::Cprng.fill_below(&mut throws, 6);
        /// assert!(throws.iter().all(|throw| *throw < 6));
        /// ```
        fill_below: u32, cprng_fill_uniform32, bound: u32;
        /// Fill a slice with integers of [`below_u64`](Self::below_u64), faster than by single calls.
        ///
        /// ```
        /// let mut numbers = [0; 100];
        /// cprng::Cprng.fill_below_u64(&mut numbers, 10_000_000_000);
        /// # assert!(numbers.iter().all(|number| *number < 10_000_000_000));
        /// ```
        fill_below_u64: u64, cprng_fill_uniform64, bound: u64;
    }

    /// Fill a slice with integers of [`range`](Self::range), faster than by single calls.
    ///
    /// ```
    /// let mut ports = [0; 100];
    /// cprng::Cprng.fill_range(&mut ports, 49152..=65535);
    /// # assert!(ports.iter().all(|port| (49152..=65535).contains(port)));
    /// ```
    pub fn fill_range(self, out: &mut [u64], range: RangeInclusive<u64>) {
        let (lo, hi) = range.into_inner();
        // SAFETY: the numbers are the slice's.
        filled(unsafe { cprng_sys::cprng_fill_range64(out.as_mut_ptr(), out.len(), lo, hi) });
    }

    /// As [`fill_range`](Self::fill_range), for signed integers.
    ///
    /// ```
    /// let mut steps = [0; 100];
    /// cprng::Cprng.fill_range_i64(&mut steps, -10..=10);
    /// # assert!(steps.iter().all(|step| (-10..=10).contains(step)));
    /// ```
    pub fn fill_range_i64(self, out: &mut [i64], range: RangeInclusive<i64>) {
        let (lo, hi) = range.into_inner();
        // SAFETY: the numbers are the slice's.
        filled(unsafe { cprng_sys::cprng_fill_int_range(out.as_mut_ptr(), out.len(), lo, hi) });
    }

    /// Fill a slice with the numbers that [`normal`](Self::normal) would return, faster than by single calls.
    ///
    /// Fails with [`Error::Argument`], with nothing written, if that returns NaN.
    ///
    /// ```
    /// let mut numbers = [0.0; 100];
    /// cprng::Cprng.fill_normal(&mut numbers, 0.0, 1.0)?;
    /// # assert!(numbers.iter().all(|number| number.abs() < 9.1));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn fill_normal(self, out: &mut [f64], mu: f64, sigma: f64) -> Result<(), Error> {
        // SAFETY: the numbers are the slice's.
        Error::check(unsafe { cprng_sys::cprng_fill_normal(out.as_mut_ptr(), out.len(), mu, sigma) })
    }

    /// Fill a slice with the numbers that [`exponential`](Self::exponential) would return, faster than by single calls.
    ///
    /// Fails with [`Error::Argument`], with nothing written, if that returns NaN.
    ///
    /// ```
    /// let mut numbers = [0.0; 100];
    /// cprng::Cprng.fill_exponential(&mut numbers, 1.5)?;
    /// # assert!(numbers.iter().all(|number| *number > 0.0));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn fill_exponential(self, out: &mut [f64], mean: f64) -> Result<(), Error> {
        // SAFETY: the numbers are the slice's.
        Error::check(unsafe { cprng_sys::cprng_fill_exponential(out.as_mut_ptr(), out.len(), mean) })
    }
}

/// No argument of these can be invalid.
fn filled(code: c_int) {
    assert!(code == cprng_sys::CPRNG_OK, "a slice is no array to the C library");
}
