// SPDX-License-Identifier: BSD-2-Clause
//! What the crate getrandom, 0.3 and 0.4, calls in a program that is compiled with --cfg getrandom_backend="custom".  The
//! symbol is there in such programs alone, so that another backend may have it in others.

/// # Safety
///
/// `dest` has room for `len` bytes.
#[no_mangle]
unsafe extern "Rust" fn __getrandom_v03_custom(dest: *mut u8, len: usize) -> Result<(), getrandom::Error> {
    // SAFETY: as the caller has it; the memory need not be initialised.
    unsafe { cprng_sys::cprng_fast(dest.cast(), len) };
    Ok(())
}
