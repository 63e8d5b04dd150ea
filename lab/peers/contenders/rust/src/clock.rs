// SPDX-License-Identifier: BSD-2-Clause

/// The CPU time of this thread.
pub fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the pointer is to a timespec.
    let status = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    assert_eq!(status, 0, "clock_gettime");
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
