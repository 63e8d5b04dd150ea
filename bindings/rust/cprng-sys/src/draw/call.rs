// SPDX-License-Identifier: BSD-2-Clause
//! Draws by call, where Rust has no restartable sequence.

use crate::{cprng_fast, cprng_fast16, cprng_fast32, cprng_fast64, cprng_fast8};

/// Whether draws are inlined here.
pub const RESTARTABLE: bool = false;

macro_rules! define {
    ($($bits:literal $name:ident $type:ty = $function:ident;)*) => {$(
        #[doc = concat!("Return a uniform integer of ", $bits, " bits.")]
        #[inline]
        pub fn $name() -> $type {
            $function()
        }
    )*};
}

define! {
    8 fast8 u8 = cprng_fast8;
    16 fast16 u16 = cprng_fast16;
    32 fast32 u32 = cprng_fast32;
    64 fast64 u64 = cprng_fast64;
}

/// Fill `len` bytes at `to`.
///
/// # Safety
/// The bytes are the caller's.
#[inline]
pub unsafe fn fast(to: *mut u8, len: usize) {
    // SAFETY: by the caller's contract.
    unsafe { cprng_fast(to.cast(), len) }
}
