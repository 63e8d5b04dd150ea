// SPDX-License-Identifier: BSD-2-Clause
//! The inlined hot path: `<cprng/draw.h>` in Rust.
//!
//! The layout of [`cprng_draw`] is part of the C library's ABI, as the comment there says.  `--cfg cprng_no_inline` (in
//! RUSTFLAGS) calls the library's functions instead, as CPRNG_NO_INLINE does in C; so does every target but x86-64 Linux.
//!
//! docs/decisions/0025-rust-draws-by-asm.md has the alternatives, and what they cost.

use core::ffi::c_uint;
use core::ffi::c_void;
use core::sync::atomic::{AtomicIsize, AtomicPtr, AtomicU32};

#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_os = "linux",
    not(cprng_no_inline)
))]
#[path = "x86_64.rs"]
mod form;
#[cfg(not(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_os = "linux",
    not(cprng_no_inline)
)))]
#[path = "call.rs"]
mod form;

pub use form::{fast16, fast32, fast64, fast8, RESTARTABLE};

/// Where inlined draws find the buffers: a line of its own, of which the library uses what follows for itself.
#[repr(C, align(64))]
#[derive(Debug)]
pub struct cprng_draw {
    /// NULL until the first draw, and permanently where restartable sequences are unavailable; until then the other fields
    /// mean nothing.  Else 4096 bytes for each CPU: the number of bytes that are left; at byte 64 the bytes, taken from the
    /// top.
    pub buffers: AtomicPtr<u8>,
    /// Of the thread's rseq area from its thread pointer.
    pub rseq_offset: AtomicIsize,
    /// Buffers of so many CPUs; 0 while they are disabled.
    pub cpus: AtomicU32,
    unused: u32,
    owner: AtomicPtr<c_void>,
}

unsafe extern "C" {
    /// Set by the first draw; only the library writes to it.
    pub static cprng_draw_1: cprng_draw;
    /// The slow path: return so many fresh bytes (1, 2, 4 or 8), by a refill or by a one-time key.
    pub fn cprng_draw_slow_1(bytes: c_uint) -> u64;
    /// The same into memory: what C's `cprng_fast` is where it is not inlined.
    pub fn cprng_fast_slow_1(buf: *mut c_void, len: usize);
}
