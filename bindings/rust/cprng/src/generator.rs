// SPDX-License-Identifier: BSD-2-Clause
use crate::error::sure;
use crate::range::{empty, ends, some};
use crate::Error;
use core::mem::MaybeUninit;
use core::ops::RangeInclusive;

/// Fill `buf` with random bytes.
///
/// Up to 512 bytes come from the buffer of the thread's CPU; if the compiler knows a length of up to 64, it inlines the draw.  A
/// longer request is expanded directly into `buf` from a one-time key, which is wiped before the return.
///
/// # Examples
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
/// # Examples
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
/// # Examples
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
/// # Examples
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

macro_rules! numbers {
    ($($doc:literal $name:ident: $type:ident = |$s:ident| $value:expr;)*) => {$(
        #[doc = $doc]
        ///
        /// # Examples
        /// ```
        #[doc = concat!("let number: ", stringify!($type), " = cprng::Cprng.", stringify!($name), "();")]
        /// # let _ = number;
        /// ```
        #[inline]
        pub fn $name(self) -> $type {
            let $s = self;
            $value
        }
    )*};
}

macro_rules! fills {
    ($($name:ident: $type:ident = $function:ident, $single:ident($($($example:tt)+)?)
       $(, $argument:ident: $kind:ty => [$($given:ident),+] = $checked:expr)?;)*) => {$(
        #[doc = concat!("Fill a slice with numbers of [`", stringify!($single), "`](Self::", stringify!($single), "),")]
        /// faster than by single calls.
        $(
        ///
        /// # Panics
        #[doc = concat!("If ", stringify!($argument), " is 0 or empty.")]
        )?
        ///
        /// # Examples
        /// ```
        #[doc = concat!("let mut numbers = [0", stringify!($type), "; 100];")]
        #[doc = concat!("cprng::Cprng.", stringify!($name), "(&mut numbers" $(, ", ", stringify!($($example)+))?, ");")]
        #[doc = concat!("# assert_ne!(numbers, [0", stringify!($type), "; 100]);")]
        /// ```
        pub fn $name(self, out: &mut [$type] $(, $argument: $kind)?) {
            $(let Ok([$($given),+]) = $checked else { empty() };)?
            // SAFETY: the numbers are the slice's.
            sure(unsafe { cprng_sys::$function(out.as_mut_ptr(), out.len() $($(, $given)+)?) });
        }
    )*};
}

impl Cprng {
    numbers! {
        "Return a uniform integer of 8 bits." u8: u8 = |_s| cprng_sys::fast8();
        "Return a uniform integer of 16 bits." u16: u16 = |_s| cprng_sys::fast16();
        "Return a uniform integer of 32 bits." u32: u32 = |_s| cprng_sys::fast32();
        "Return a uniform integer of 64 bits." u64: u64 = |_s| cprng_sys::fast64();
        "Return `true` or `false` with equal probability." bool: bool = |s| s.u8() & 1 == 1;
        "Return a uniform multiple of 2^-24 in [0, 1)." f32: f32 = |s| (s.u32() >> 8) as f32 * (1.0 / (1u32 << 24) as f32);
        "Return a uniform multiple of 2^-53 in [0, 1)." f64: f64 = |s| (s.u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
    }

    /// Return a uniform integer in `[0, bound)`, without bias.
    ///
    /// # Panics
    /// If `bound` is 0.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Cprng.below(6) < 6);
    /// ```
    #[inline]
    pub fn below(self, bound: u32) -> u32 {
        if bound == 0 {
            empty();
        }
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

    /// Like [`below`](Self::below), with 64 bits.
    ///
    /// # Panics
    /// If `bound` is 0.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Cprng.below_u64(10_000_000_000) < 10_000_000_000);
    /// ```
    #[inline]
    pub fn below_u64(self, bound: u64) -> u64 {
        let Ok([bound]) = some(bound) else { empty() };
        cprng_sys::cprng_uniform64(bound)
    }

    /// Return a uniform integer in a range, both ends included, without bias.
    ///
    /// # Panics
    /// If the range is empty.
    ///
    /// # Examples
    /// ```
    /// assert!((49152..=65535).contains(&cprng::Cprng.range(49152..=65535)));
    /// ```
    #[inline]
    pub fn range(self, range: RangeInclusive<u64>) -> u64 {
        let Ok([lo, hi]) = ends(range) else { empty() };
        cprng_sys::cprng_range64(lo, hi)
    }

    /// Like [`range`](Self::range), for signed integers.
    ///
    /// # Panics
    /// If the range is empty.
    ///
    /// # Examples
    /// ```
    /// assert!((-10..=10).contains(&cprng::Cprng.range_i64(-10..=10)));
    /// ```
    #[inline]
    pub fn range_i64(self, range: RangeInclusive<i64>) -> i64 {
        let Ok([lo, hi]) = ends(range) else { empty() };
        cprng_sys::cprng_int_range(lo, hi)
    }

    /// Return a normally distributed number with mean `mu` and standard deviation `sigma`, or NaN if one of them is not finite or
    /// `sigma` is negative.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Cprng.normal(100.0, 15.0).is_finite());
    /// ```
    #[inline]
    pub fn normal(self, mu: f64, sigma: f64) -> f64 {
        cprng_sys::cprng_normal(mu, sigma)
    }

    /// Return an exponentially distributed number with this mean, or NaN if it is negative or not finite.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Cprng.exponential(1.5) > 0.0);
    /// ```
    #[inline]
    pub fn exponential(self, mean: f64) -> f64 {
        cprng_sys::cprng_exponential(mean)
    }

    fills! {
        fill_u32: u32 = cprng_fill_u32, u32();
        fill_u64: u64 = cprng_fill_u64, u64();
        fill_f32: f32 = cprng_fill_float, f32();
        fill_f64: f64 = cprng_fill_double, f64();
        fill_below: u32 = cprng_fill_uniform32, below(6), bound: u32 => [bound] = some(bound);
        fill_below_u64: u64 = cprng_fill_uniform64, below_u64(6), bound: u64 => [bound] = some(bound);
        fill_range: u64 = cprng_fill_range64, range(1..=6), range: RangeInclusive<u64> => [lo, hi] = ends(range);
        fill_range_i64: i64 = cprng_fill_int_range, range_i64(-10..=10), range: RangeInclusive<i64> => [lo, hi] = ends(range);
    }

    /// Fill a slice with numbers of [`normal`](Self::normal), faster than by single calls.
    ///
    /// # Errors
    /// [`Error::Argument`], with nothing written, if that returns NaN.
    ///
    /// # Examples
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

    /// Fill a slice with numbers of [`exponential`](Self::exponential), faster than by single calls.
    ///
    /// # Errors
    /// [`Error::Argument`], with nothing written, if that returns NaN.
    ///
    /// # Examples
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
