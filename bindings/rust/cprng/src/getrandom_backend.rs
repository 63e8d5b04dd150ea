// SPDX-License-Identifier: BSD-2-Clause
//! The function that the crate getrandom, 0.3 and 0.4, calls in a program compiled with --cfg
//! getrandom_backend="custom".  Only such programs contain the symbol, so that another backend may define it in others.

/// # Safety
/// `dest` has room for `len` bytes.
#[no_mangle]
unsafe extern "Rust" fn __getrandom_v03_custom(dest: *mut u8, len: usize) -> Result<(), getrandom::Error> {
    // SAFETY: by the caller's contract; the memory need not be initialised.
    unsafe {
        cprng_sys::cprng_fast(dest.cast(), len);
        cprng_sys::written(dest, len);
    }
    Ok(())
}
