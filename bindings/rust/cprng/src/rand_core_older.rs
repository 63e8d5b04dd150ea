// SPDX-License-Identifier: BSD-2-Clause
//! The traits of rand_core 0.9 and 0.6, as rand_core_10.rs for 0.10.

use crate::{Cprng, Stream, Strong};

macro_rules! generators {
    ($core:ident, { $($more:tt)* }) => {
        impl $core::RngCore for Cprng {
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
                crate::fill(dst)
            }

            $($more)*
        }

        impl $core::CryptoRng for Cprng {}

        impl $core::RngCore for Strong {
            fn next_u32(&mut self) -> u32 {
                u32::from_le_bytes(self.bytes())
            }

            fn next_u64(&mut self) -> u64 {
                u64::from_le_bytes(self.bytes())
            }

            fn fill_bytes(&mut self, dst: &mut [u8]) {
                Strong::fill_bytes(*self, dst)
            }

            $($more)*
        }

        impl $core::CryptoRng for Strong {}

        impl $core::RngCore for Stream {
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
                self.fill_bytes(dst)
            }

            $($more)*
        }

        impl $core::SeedableRng for Stream {
            type Seed = [u8; 32];

            fn from_seed(seed: [u8; 32]) -> Self {
                Stream::from_key_material(&seed)
            }

            fn seed_from_u64(seed: u64) -> Self {
                Stream::new(seed)
            }
        }
    };
}

#[cfg(feature = "rand_core_09")]
generators!(rand_core_09, {});

#[cfg(feature = "rand_core_06")]
generators!(rand_core_06, {
    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), rand_core_06::Error> {
        self.fill_bytes(dst);
        Ok(())
    }
});
