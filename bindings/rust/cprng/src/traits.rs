// SPDX-License-Identifier: BSD-2-Clause
//! The traits of rand_core 0.10, 0.9 and 0.6.  Errors are `Infallible`: the C library returns full-strength bytes, or aborts the
//! process.  `Stream` is no `CryptoRng`: bytes that were read are not erased, and a stream's seed reveals all of it.
//! `(*self).fill_bytes` is a type's own method, not the trait's.

use crate::{Cprng, Stream, Strong};

impl Cprng {
    #[inline]
    fn fill_bytes(self, dst: &mut [u8]) {
        crate::fill(dst)
    }
}

impl Strong {
    fn u32(self) -> u32 {
        u32::from_le_bytes(self.bytes())
    }

    fn u64(self) -> u64 {
        u64::from_le_bytes(self.bytes())
    }
}

#[cfg(feature = "rand_core")]
macro_rules! newest {
    ($($type:ident)*) => {$(
        impl rand_core::TryRng for $type {
            type Error = core::convert::Infallible;

            #[inline]
            fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
                Ok(self.u32())
            }

            #[inline]
            fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
                Ok(self.u64())
            }

            #[inline]
            fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Self::Error> {
                (*self).fill_bytes(dst);
                Ok(())
            }
        }
    )*};
}

#[cfg(feature = "rand_core")]
newest! { Cprng Strong Stream }
#[cfg(feature = "rand_core")]
impl rand_core::TryCryptoRng for Cprng {}
#[cfg(feature = "rand_core")]
impl rand_core::TryCryptoRng for Strong {}

#[cfg(any(feature = "rand_core_09", feature = "rand_core_06"))]
macro_rules! older {
    ($core:ident, $more:tt) => {
        older! { $core, $more, Cprng }
        older! { $core, $more, Strong }
        older! { $core, $more, Stream }
        impl $core::CryptoRng for Cprng {}
        impl $core::CryptoRng for Strong {}
    };
    ($core:ident, { $($more:tt)* }, $type:ident) => {
        impl $core::RngCore for $type {
            #[inline]
            fn next_u32(&mut self) -> u32 {
                self.u32()
            }

            #[inline]
            fn next_u64(&mut self) -> u64 {
                self.u64()
            }

            #[inline]
            fn fill_bytes(&mut self, dst: &mut [u8]) {
                (*self).fill_bytes(dst)
            }

            $($more)*
        }
    };
}

#[cfg(feature = "rand_core_09")]
older!(rand_core_09, {});

#[cfg(feature = "rand_core_06")]
older!(rand_core_06, {
    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), rand_core_06::Error> {
        (*self).fill_bytes(dst);
        Ok(())
    }
});

macro_rules! seedable {
    ($($feature:literal $core:ident)*) => {$(
        /// `seed_from_u64` is [`Stream::new`], and `from_seed` is [`Stream::from_bytes`]: the streams of these seeds in all
        /// other languages.
        #[cfg(feature = $feature)]
        impl $core::SeedableRng for Stream {
            type Seed = [u8; 32];

            fn from_seed(seed: [u8; 32]) -> Self {
                Stream::from_key_material(&seed)
            }

            fn seed_from_u64(seed: u64) -> Self {
                Stream::new(seed)
            }
        }
    )*};
}

seedable! { "rand_core" rand_core "rand_core_09" rand_core_09 "rand_core_06" rand_core_06 }
