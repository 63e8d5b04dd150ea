// SPDX-License-Identifier: BSD-2-Clause
//! MemorySanitizer.

/// Tell MemorySanitizer, in an instrumented program, that these bytes were written: it does not see writes by C or assembly.
///
/// # Safety
/// The bytes were written.
#[inline(always)]
pub unsafe fn written(start: *const u8, len: usize) {
    #[cfg(cprng_msan)]
    {
        unsafe extern "C" {
            fn __msan_unpoison(start: *const core::ffi::c_void, len: usize);
        }
        // SAFETY: by the caller's contract.
        unsafe { __msan_unpoison(start.cast(), len) }
    }
    #[cfg(not(cprng_msan))]
    let _ = (start, len);
}
