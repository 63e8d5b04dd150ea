// SPDX-License-Identifier: BSD-2-Clause
//! `<cprng/fortuna.h>`: Fortuna as an object, with the program's own sources, locks and clock.

use core::ffi::{c_char, c_int, c_uint, c_void};

/// The largest size of an event, in bytes.
pub const CPRNG_FORTUNA_EVENT_MAX: c_int = 32;
/// The number of sources of an object.
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
    /// Take lock 0 or 1.
    pub lock: Option<unsafe extern "C" fn(arg: *mut c_void, which: c_int, token: *mut u64)>,
    /// Take a lock if it is free; otherwise return 0.
    pub try_lock: Option<unsafe extern "C" fn(arg: *mut c_void, which: c_int, token: *mut u64) -> c_int>,
    /// Release a lock.
    pub unlock: Option<unsafe extern "C" fn(arg: *mut c_void, which: c_int, token: *const u64)>,
    /// Return the nanoseconds of a monotonic clock.
    pub now: Option<unsafe extern "C" fn(arg: *mut c_void) -> u64>,
    /// The argument of each of these functions.
    pub arg: *mut c_void,
}

/// All zero selects the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_fortuna_options {
    /// "aes256-ctr", "chacha20", or NULL.
    pub engine: *const c_char,
    /// Bytes of input that pool 0 needs before a reseed; 0: 64.
    pub pool_min: u32,
    /// Not 0: generate under the lock.
    pub locked_reads: c_int,
    /// NULL: the library's.
    pub hooks: *const cprng_fortuna_hooks,
}

/// Information about an object.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_fortuna_info {
    /// The engine.
    pub engine: *const c_char,
    /// The backend.
    pub backend: *const c_char,
    /// Not 0: readers generate under the lock.
    pub locked_reads: c_int,
    /// Not 0: there was a reseed.
    pub seeded: c_int,
    /// Bytes.
    pub pool_min: u32,
    /// 0.
    pub reserved: u32,
    /// Reseeds from the pools.
    pub reseeds: u64,
    /// Events distributed among the pools.
    pub events: u64,
    /// Events that found the queue full.
    pub dropped: u64,
}

unsafe extern "C" {
    /// Make an object.
    pub fn cprng_fortuna_new(f: *mut *mut cprng_fortuna, options: *const cprng_fortuna_options, size: usize) -> c_int;
    /// Erase and release it.
    pub fn cprng_fortuna_free(f: *mut cprng_fortuna);
    /// Add an event.
    pub fn cprng_fortuna_add(
        f: *mut cprng_fortuna,
        source: c_uint,
        buf: *const c_void,
        len: usize,
        entropy_bits: c_uint,
    ) -> c_int;
    /// Move queued events to the pools.
    pub fn cprng_fortuna_drain(f: *mut cprng_fortuna) -> usize;
    /// Reseed the generator immediately.
    pub fn cprng_fortuna_seed(f: *mut cprng_fortuna, buf: *const c_void, len: usize) -> c_int;
    /// Fill `buf`.
    pub fn cprng_fortuna_read(f: *mut cprng_fortuna, buf: *mut c_void, len: usize) -> c_int;
    /// Generate under the lock (not 0), or outside it.
    pub fn cprng_fortuna_set_locked_reads(f: *mut cprng_fortuna, on: c_int);
    /// Fill `*info`.
    pub fn cprng_fortuna_get_info(f: *mut cprng_fortuna, info: *mut cprng_fortuna_info, size: usize) -> c_int;
}
