// SPDX-License-Identifier: BSD-2-Clause
//! The inlined hot path: `<cprng/draw.h>` in Rust.
//!
//! [`cprng_draw`]'s layout is part of the C library's ABI, see the comment there.  `--cfg cprng_no_inline` (in
//! RUSTFLAGS) calls the library's functions instead, as CPRNG_NO_INLINE does in C; so do all targets but Linux on
//! x86-64 and AArch64.
//!
//! docs/decisions/0025-rust-draws-by-asm.md has the alternatives and their costs.

use core::ffi::{c_uint, c_void};
use core::sync::atomic::{AtomicIsize, AtomicPtr, AtomicU32};

#[cfg_attr(
    all(
        any(target_arch = "x86_64", target_arch = "aarch64"),
        target_pointer_width = "64",
        target_os = "linux",
        not(cprng_no_inline)
    ),
    path = "restartable.rs"
)]
#[cfg_attr(
    not(all(
        any(target_arch = "x86_64", target_arch = "aarch64"),
        target_pointer_width = "64",
        target_os = "linux",
        not(cprng_no_inline)
    )),
    path = "call.rs"
)]
mod form;

pub use form::{fast, fast16, fast32, fast64, fast8, RESTARTABLE};

/// Where inlined draws find the buffers: a cache line, of which the library uses the rest.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct cprng_draw {
    /// NULL until the first draw, and always where restartable sequences are unavailable; the other fields are then undefined.
    /// Otherwise 4096 bytes for each CPU: the number of bytes left, and from byte 64 the bytes, taken from the top.
    pub buffers: AtomicPtr<u8>,
    /// The thread's rseq area, relative to its thread pointer.
    pub rseq_offset: AtomicIsize,
    /// The number of CPUs with buffers; 0 while they are disabled.
    pub cpus: AtomicU32,
    unused: u32,
    owner: AtomicPtr<c_void>,
}

unsafe extern "C" {
    /// Set by the first draw; only the library writes to it.
    pub static cprng_draw_1: cprng_draw;
    /// The slow path: return this many fresh bytes (1, 2, 4 or 8), by a refill or a one-time key.
    pub fn cprng_draw_slow_1(bytes: c_uint) -> u64;
    /// The same into memory: C's `cprng_fast` where it is not inlined.
    pub fn cprng_request_slow_1(buf: *mut c_void, len: usize);
}
