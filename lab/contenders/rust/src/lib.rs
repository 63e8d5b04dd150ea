// SPDX-License-Identifier: BSD-2-Clause
//! What Rust programs draw from, for callers in C: each function is one call of the crate's.

use rand::{Rng, RngCore};

#[no_mangle]
pub extern "C" fn lab_rust_next8() -> u8 {
    rand::rng().random()
}

#[no_mangle]
pub extern "C" fn lab_rust_next16() -> u16 {
    rand::rng().random()
}

#[no_mangle]
pub extern "C" fn lab_rust_next32() -> u32 {
    rand::rng().next_u32()
}

#[no_mangle]
pub extern "C" fn lab_rust_next64() -> u64 {
    rand::rng().next_u64()
}

/// n is not 0.
#[no_mangle]
pub extern "C" fn lab_rust_below(n: u32) -> u32 {
    rand::rng().random_range(0..n)
}

/// # Safety
/// There are len bytes at out.
#[no_mangle]
pub unsafe extern "C" fn lab_rust_fill(out: *mut u8, len: usize) {
    rand::rng().fill_bytes(std::slice::from_raw_parts_mut(out, len));
}

/// # Safety
/// There are len bytes at out.
#[cfg(feature = "aws-lc")]
#[no_mangle]
pub unsafe extern "C" fn lab_rust_aws_lc_fill(out: *mut u8, len: usize) -> bool {
    aws_lc_rs::rand::fill(std::slice::from_raw_parts_mut(out, len)).is_ok()
}
