// SPDX-License-Identifier: BSD-2-Clause
//! Draws by call, where Rust has no restartable sequence.

use crate::{cprng_fast, cprng_fast16, cprng_fast32, cprng_fast64, cprng_fast8};

/// Whether draws are inlined here.
pub const RESTARTABLE: bool = false;

/// Return a uniform integer of 8 bits.
#[inline]
pub fn fast8() -> u8 {
    cprng_fast8()
}

/// Return a uniform integer of 16 bits.
#[inline]
pub fn fast16() -> u16 {
    cprng_fast16()
}

/// Return a uniform integer of 32 bits.
#[inline]
pub fn fast32() -> u32 {
    cprng_fast32()
}

/// Return a uniform integer of 64 bits.
#[inline]
pub fn fast64() -> u64 {
    cprng_fast64()
}

/// Fill `len` bytes at `to`.
///
/// # Safety
///
/// The bytes are the caller's.
#[inline]
pub unsafe fn fast(to: *mut u8, len: usize) {
    // SAFETY: by the caller's contract.
    unsafe { cprng_fast(to.cast(), len) }
}
