// SPDX-License-Identifier: BSD-2-Clause
//! The traits of rand_core 0.10.  Errors are `Infallible`: the C library returns full-strength bytes, or aborts the process.

use crate::{Cprng, Stream, Strong};
use core::convert::Infallible;
use rand_core::{SeedableRng, TryCryptoRng, TryRng};

impl TryRng for Cprng {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.u64())
    }

    #[inline]
    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        crate::fill(dst);
        Ok(())
    }
}

impl TryCryptoRng for Cprng {}

impl TryRng for Strong {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.bytes()))
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.bytes()))
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        Strong::fill_bytes(*self, dst);
        Ok(())
    }
}

impl TryCryptoRng for Strong {}

/// No `TryCryptoRng`: bytes that were read are not erased, and a stream's seed reveals all of it.
impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.u64())
    }

    #[inline]
    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        self.fill_bytes(dst);
        Ok(())
    }
}

/// `seed_from_u64` is [`Stream::new`], and `from_seed` is [`Stream::from_bytes`]: the streams of these seeds in all
/// other languages.
impl SeedableRng for Stream {
    type Seed = [u8; 32];

    fn from_seed(seed: [u8; 32]) -> Self {
        Stream::from_key_material(&seed)
    }

    fn seed_from_u64(seed: u64) -> Self {
        Stream::new(seed)
    }
}
