// SPDX-License-Identifier: BSD-2-Clause
//! For MemorySanitizer, which does not see what code without it writes.

use core::ffi::c_void;

unsafe extern "C" {
    fn __msan_unpoison(at: *const c_void, len: usize);
}

/// Fill `len` bytes at `to`, and tell the sanitizer.
///
/// # Safety
///
/// The bytes are the caller's.
#[inline]
pub unsafe fn fast(to: *mut u8, len: usize) {
    // SAFETY: by the caller's contract.
    unsafe {
        super::form::fast(to, len);
        __msan_unpoison(to.cast(), len);
    }
}
