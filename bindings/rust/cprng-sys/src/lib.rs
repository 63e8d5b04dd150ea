// SPDX-License-Identifier: BSD-2-Clause
//! The functions of the C library [cprng](https://github.com/cprng/cprng), and the library itself, compiled from one file of this
//! crate.  Rust programs should use the crate `cprng`.
//!
//! Names, arguments and contracts are those of `<cprng/cprng.h>`, `<cprng/stream.h>` and `<cprng/fortuna.h>`, which
//! this crate has in one `cprng.h`; `DEP_CPRNG_INCLUDE` gives its directory to build scripts of dependent crates.
//! The tests compile each declaration with the header's, so that the two cannot differ.
//!
//! ```
//! let mut key = [0u8; 32];
//! // SAFETY: the bytes are the caller's.
//! unsafe { cprng_sys::cprng_fast(key.as_mut_ptr().cast(), key.len()) };
//! assert_ne!(key, [0; 32]);
//! ```
#![no_std]
#![allow(non_camel_case_types)]

mod draw;
mod fortuna;
mod msan;
mod stream;
mod types;

pub use draw::*;
pub use fortuna::*;
pub use msan::*;
pub use stream::*;
pub use types::*;

use core::ffi::{c_char, c_int, c_uint, c_void};

unsafe extern "C" {
    /// Fill `buf` with `len` random bytes.
    pub fn cprng_fast(buf: *mut c_void, len: usize);
    /// Return a uniform integer of 8 bits, by a call; [`fast8`] is the inlined form.
    pub safe fn cprng_fast8() -> u8;
    /// Return a uniform integer of 16 bits, by a call; [`fast16`] is the inlined form.
    pub safe fn cprng_fast16() -> u16;
    /// Return a uniform integer of 32 bits, by a call; [`fast32`] is the inlined form.
    pub safe fn cprng_fast32() -> u32;
    /// Return a uniform integer of 64 bits, by a call; [`fast64`] is the inlined form.
    pub safe fn cprng_fast64() -> u64;
    /// Return a uniform integer in `[0, bound)`; 0 for a bound of 0 or 1.
    pub safe fn cprng_uniform32(bound: u32) -> u32;
    /// Return a uniform integer in `[0, bound)`; 0 for a bound of 0 or 1.
    pub safe fn cprng_uniform64(bound: u64) -> u64;
    /// Return a uniform integer in `[lo, hi]`, or in `[hi, lo]`.
    pub safe fn cprng_range64(lo: u64, hi: u64) -> u64;
    /// Return a uniform integer in `[lo, hi]`, or in `[hi, lo]`.
    pub safe fn cprng_int_range(lo: i64, hi: i64) -> i64;
    /// Return 0 or 1.
    pub safe fn cprng_bool() -> c_int;
    /// Return a uniform multiple of 2^-53 in `[0, 1)`.
    pub safe fn cprng_double() -> f64;
    /// Return a uniform multiple of 2^-24 in `[0, 1)`.
    pub safe fn cprng_float() -> f32;
    /// Return a normally distributed number.
    pub safe fn cprng_normal(mu: f64, sigma: f64) -> f64;
    /// Return an exponentially distributed number.
    pub safe fn cprng_exponential(mean: f64) -> f64;
    /// Put `count` elements of `size` bytes into a uniformly random order.
    pub fn cprng_shuffle(base: *mut c_void, count: usize, size: usize);
    /// Write `k` distinct integers in `[0, n)` to `out`.
    pub fn cprng_sample(out: *mut u64, k: usize, n: u64) -> c_int;
    /// Fill an array with integers.
    pub fn cprng_fill_u32(out: *mut u32, count: usize) -> c_int;
    /// Fill an array with integers.
    pub fn cprng_fill_u64(out: *mut u64, count: usize) -> c_int;
    /// Fill an array with integers below `bound`.
    pub fn cprng_fill_uniform32(out: *mut u32, count: usize, bound: u32) -> c_int;
    /// Fill an array with integers below `bound`.
    pub fn cprng_fill_uniform64(out: *mut u64, count: usize, bound: u64) -> c_int;
    /// Fill an array with integers in `[lo, hi]`.
    pub fn cprng_fill_range64(out: *mut u64, count: usize, lo: u64, hi: u64) -> c_int;
    /// Fill an array with integers in `[lo, hi]`.
    pub fn cprng_fill_int_range(out: *mut i64, count: usize, lo: i64, hi: i64) -> c_int;
    /// Fill an array with numbers in `[0, 1)`.
    pub fn cprng_fill_float(out: *mut f32, count: usize) -> c_int;
    /// Fill an array with numbers in `[0, 1)`.
    pub fn cprng_fill_double(out: *mut f64, count: usize) -> c_int;
    /// Fill an array with normally distributed numbers.
    pub fn cprng_fill_normal(out: *mut f64, count: usize, mu: f64, sigma: f64) -> c_int;
    /// Fill an array with exponentially distributed numbers.
    pub fn cprng_fill_exponential(out: *mut f64, count: usize, mean: f64) -> c_int;

    /// Return 1 with probability `p`, otherwise 0.
    pub safe fn cprng_bernoulli(p: f64) -> c_int;
    /// Return 1 with probability numerator / denominator, otherwise 0.
    pub safe fn cprng_bernoulli_ratio(numerator: u64, denominator: u64) -> c_int;
    /// Set up a table of `count` weights.
    pub fn cprng_weights_init(w: *mut cprng_weights, table: *mut cprng_alias, weights: *const u64, count: usize) -> c_int;
    /// Return an index, each with probability weight / sum.
    pub fn cprng_weighted(w: *const cprng_weights) -> usize;
    /// Write `length` characters of an alphabet, and a NUL.
    pub fn cprng_text(out: *mut c_char, length: usize, alphabet: *const c_char, symbols: usize) -> c_int;
    /// Write the 16 bytes of a UUID of version 4.
    pub fn cprng_uuid4(out: *mut u8);
    /// Write the 16 bytes of a UUID of version 7.
    pub fn cprng_uuid7(out: *mut u8) -> c_int;
    /// Write a UUID's 36 characters, and a NUL.
    pub fn cprng_uuid_text(out: *mut c_char, uuid: *const u8);

    /// Drop all buffered bytes, for all CPUs and threads.
    pub safe fn cprng_invalidate();
    /// Drop all buffered bytes, and reseed every CPU from the kernel.
    pub safe fn cprng_reseed() -> c_int;
    /// Return the address of a number that changes when all buffered bytes are dropped, or NULL.
    pub safe fn cprng_generation_number() -> *const u64;
    /// Disable the buffers until the calling process, a child that shares its parent's memory, has ended.
    pub safe fn cprng_vfork_child();

    /// Fill `buf` with `len` bytes from the process's Fortuna.
    pub fn cprng_strong(buf: *mut c_void, len: usize);
    /// Add an event to the process's Fortuna.
    pub fn cprng_add_entropy(source: c_uint, buf: *const c_void, len: usize, entropy_bits: c_uint) -> c_int;
    /// Generate under the lock (not 0), or outside it.
    pub safe fn cprng_strong_set_locked_reads(on: c_int);
    /// Mix the content of a seed file into the process's Fortuna, and replace it.
    pub fn cprng_seed_file(path: *const c_char) -> c_int;
    /// Fill `*info`, which has `size` bytes in the caller.
    pub fn cprng_get_strong_info(info: *mut cprng_strong_info, size: usize);

    /// Return a static string for an error.
    pub safe fn cprng_strerror(error: c_int) -> *const c_char;
    /// Return "MAJOR.MINOR.PATCH", a static string.
    pub safe fn cprng_version() -> *const c_char;
    /// Fill `*info`, which has `size` bytes in the caller.
    pub fn cprng_get_info(info: *mut cprng_info, size: usize);
    /// Describe engine number `index`.
    pub fn cprng_get_engine(index: c_uint, info: *mut cprng_engine_info, size: usize) -> c_int;
    /// Run the known answers of every engine on every backend.
    pub fn cprng_selftest(report: cprng_selftest_report, arg: *mut c_void) -> c_int;
}
