// SPDX-License-Identifier: BSD-2-Clause
//! `<cprng/fortuna.h>`: Fortuna as an object, with the program's own sources, locks and clock.  The header documents them.
#![allow(missing_docs)]

use core::ffi::{c_char, c_int, c_uint, c_void};

pub const CPRNG_FORTUNA_EVENT_MAX: c_int = 32;
pub const CPRNG_FORTUNA_SOURCES: c_int = 256;

/// Opaque.
#[repr(C)]
#[derive(Debug)]
pub struct cprng_fortuna {
    opaque: [u8; 0],
}

/// Locks and clock that replace the library's: all of them, or none.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_fortuna_hooks {
    pub lock: Option<unsafe extern "C" fn(arg: *mut c_void, which: c_int, token: *mut u64)>,
    pub try_lock: Option<unsafe extern "C" fn(arg: *mut c_void, which: c_int, token: *mut u64) -> c_int>,
    pub unlock: Option<unsafe extern "C" fn(arg: *mut c_void, which: c_int, token: *const u64)>,
    pub now: Option<unsafe extern "C" fn(arg: *mut c_void) -> u64>,
    pub arg: *mut c_void,
}

/// All zero selects the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_fortuna_options {
    pub engine: *const c_char,
    pub pool_min: u32,
    pub locked_reads: c_int,
    pub hooks: *const cprng_fortuna_hooks,
}

/// Information about an object.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_fortuna_info {
    pub engine: *const c_char,
    pub backend: *const c_char,
    pub locked_reads: c_int,
    pub seeded: c_int,
    pub pool_min: u32,
    pub reserved: u32,
    pub reseeds: u64,
    pub events: u64,
    pub dropped: u64,
}

unsafe extern "C" {
    pub fn cprng_fortuna_new(f: *mut *mut cprng_fortuna, options: *const cprng_fortuna_options, size: usize) -> c_int;
    pub fn cprng_fortuna_free(f: *mut cprng_fortuna);
    pub fn cprng_fortuna_add(
        f: *mut cprng_fortuna,
        source: c_uint,
        buf: *const c_void,
        len: usize,
        entropy_bits: c_uint,
    ) -> c_int;
    pub fn cprng_fortuna_drain(f: *mut cprng_fortuna) -> usize;
    pub fn cprng_fortuna_seed(f: *mut cprng_fortuna, buf: *const c_void, len: usize) -> c_int;
    pub fn cprng_fortuna_read(f: *mut cprng_fortuna, buf: *mut c_void, len: usize) -> c_int;
    pub fn cprng_fortuna_set_locked_reads(f: *mut cprng_fortuna, on: c_int);
    pub fn cprng_fortuna_get_info(f: *mut cprng_fortuna, info: *mut cprng_fortuna_info, size: usize) -> c_int;
}
