// SPDX-License-Identifier: BSD-2-Clause
//! The functions of the C library [cprng](https://github.com/cprng/cprng), and the library itself, compiled from one file of this
//! crate.  Rust programs should use the crate `cprng`.
//!
//! Names, arguments and contracts are those of `<cprng/cprng.h>`, `<cprng/stream.h>` and `<cprng/fortuna.h>`, which document
//! each.  This crate has them in one `cprng.h`; `DEP_CPRNG_INCLUDE` gives its directory to build scripts of dependent crates.
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

#[allow(missing_docs)] // the headers have them
unsafe extern "C" {
    pub fn cprng_fast(buf: *mut c_void, len: usize);
    pub safe fn cprng_fast8() -> u8;
    pub safe fn cprng_fast16() -> u16;
    pub safe fn cprng_fast32() -> u32;
    pub safe fn cprng_fast64() -> u64;
    pub safe fn cprng_uniform32(bound: u32) -> u32;
    pub safe fn cprng_uniform64(bound: u64) -> u64;
    pub safe fn cprng_range64(lo: u64, hi: u64) -> u64;
    pub safe fn cprng_int_range(lo: i64, hi: i64) -> i64;
    pub safe fn cprng_bool() -> c_int;
    pub safe fn cprng_double() -> f64;
    pub safe fn cprng_float() -> f32;
    pub safe fn cprng_normal(mu: f64, sigma: f64) -> f64;
    pub safe fn cprng_exponential(mean: f64) -> f64;
    pub fn cprng_shuffle(base: *mut c_void, count: usize, size: usize);
    pub fn cprng_sample(out: *mut u64, k: usize, n: u64) -> c_int;
    pub fn cprng_fill_u32(out: *mut u32, count: usize) -> c_int;
    pub fn cprng_fill_u64(out: *mut u64, count: usize) -> c_int;
    pub fn cprng_fill_uniform32(out: *mut u32, count: usize, bound: u32) -> c_int;
    pub fn cprng_fill_uniform64(out: *mut u64, count: usize, bound: u64) -> c_int;
    pub fn cprng_fill_range64(out: *mut u64, count: usize, lo: u64, hi: u64) -> c_int;
    pub fn cprng_fill_int_range(out: *mut i64, count: usize, lo: i64, hi: i64) -> c_int;
    pub fn cprng_fill_float(out: *mut f32, count: usize) -> c_int;
    pub fn cprng_fill_double(out: *mut f64, count: usize) -> c_int;
    pub fn cprng_fill_normal(out: *mut f64, count: usize, mu: f64, sigma: f64) -> c_int;
    pub fn cprng_fill_exponential(out: *mut f64, count: usize, mean: f64) -> c_int;

    pub safe fn cprng_bernoulli(p: f64) -> c_int;
    pub safe fn cprng_bernoulli_ratio(numerator: u64, denominator: u64) -> c_int;
    pub fn cprng_weights_init(w: *mut cprng_weights, table: *mut cprng_alias, weights: *const u64, count: usize) -> c_int;
    pub fn cprng_weighted(w: *const cprng_weights) -> usize;
    pub fn cprng_text(out: *mut c_char, length: usize, alphabet: *const c_char, symbols: usize) -> c_int;
    pub fn cprng_uuid4(out: *mut u8);
    pub fn cprng_uuid7(out: *mut u8) -> c_int;
    pub fn cprng_uuid_text(out: *mut c_char, uuid: *const u8);

    pub safe fn cprng_invalidate();
    pub safe fn cprng_reseed() -> c_int;
    pub safe fn cprng_generation_number() -> *const u64;
    pub safe fn cprng_vfork_child();

    pub fn cprng_strong(buf: *mut c_void, len: usize);
    pub fn cprng_add_entropy(source: c_uint, buf: *const c_void, len: usize, entropy_bits: c_uint) -> c_int;
    pub safe fn cprng_strong_set_locked_reads(on: c_int);
    pub fn cprng_seed_file(path: *const c_char) -> c_int;
    pub fn cprng_get_strong_info(info: *mut cprng_strong_info, size: usize);

    pub safe fn cprng_strerror(error: c_int) -> *const c_char;
    pub safe fn cprng_version() -> *const c_char;
    pub fn cprng_get_info(info: *mut cprng_info, size: usize);
    pub fn cprng_get_engine(index: c_uint, info: *mut cprng_engine_info, size: usize) -> c_int;
    pub fn cprng_selftest(report: cprng_selftest_report, arg: *mut c_void) -> c_int;
}
