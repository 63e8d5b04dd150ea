// SPDX-License-Identifier: BSD-2-Clause
//! The types and constants of `<cprng/cprng.h>`, which documents them.
#![allow(missing_docs)]

use core::ffi::{c_char, c_int, c_void};

pub const CPRNG_OK: c_int = 0;
pub const CPRNG_ERR_ENGINE: c_int = -1;
pub const CPRNG_ERR_KEY_SIZE: c_int = -2;
pub const CPRNG_ERR_NONCE_SIZE: c_int = -3;
pub const CPRNG_ERR_RANGE: c_int = -4;
pub const CPRNG_ERR_ENTROPY: c_int = -5;
pub const CPRNG_ERR_SELFTEST: c_int = -6;
pub const CPRNG_ERR_ARGUMENT: c_int = -7;
pub const CPRNG_ERR_SOURCE: c_int = -8;
pub const CPRNG_ERR_SIZE: c_int = -9;
pub const CPRNG_ERR_FULL: c_int = -10;
pub const CPRNG_ERR_UNSEEDED: c_int = -11;
pub const CPRNG_ERR_MEMORY: c_int = -12;
pub const CPRNG_ERR_UNSUPPORTED: c_int = -13;
pub const CPRNG_ERR_SYSTEM: c_int = -14;
pub const CPRNG_ERR_FILE_TYPE: c_int = -15;
pub const CPRNG_ERR_FILE_OWNER: c_int = -16;
pub const CPRNG_ERR_BUSY: c_int = -17;
pub const CPRNG_ERR_CHECKPOINT: c_int = -18;

pub const CPRNG_SEED_MISSING: c_int = 1;
pub const CPRNG_SEED_SHORT: c_int = 2;
pub const CPRNG_SEED_EXPOSED: c_int = 4;
pub const CPRNG_SEED_LOCKED: c_int = 8;

pub const CPRNG_APPLICATION_SOURCES: c_int = 128;
pub const CPRNG_SOURCES_MAX: usize = 8;

/// The implementation of this process's draws.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_info {
    pub engine: *const c_char,
    pub backend: *const c_char,
    pub placement: *const c_char,
    pub entropy: *const c_char,
    pub fork_guard: *const c_char,
    pub memory_lock: *const c_char,
    pub buffers: u32,
    pub state_bytes: u32,
    pub buffer_bytes: u32,
    pub refills_per_reseed: u32,
    pub seconds_per_reseed: u32,
    pub announcements: *const c_char,
    pub generation_file: *const c_char,
    pub generation_file_state: *const c_char,
}

/// A source of the process's Fortuna.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_source_info {
    pub name: *const c_char,
    pub state: *const c_char,
    pub events: u64,
    pub samples: u64,
}

/// The implementation of `cprng_strong`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_strong_info {
    pub engine: *const c_char,
    pub backend: *const c_char,
    pub locked_reads: c_int,
    pub sources: u32,
    pub reseeds: u64,
    pub events: u64,
    pub dropped: u64,
    pub source: [cprng_source_info; CPRNG_SOURCES_MAX],
}

/// An engine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_engine_info {
    pub name: *const c_char,
    pub key_sizes: [u8; 2],
    pub nonce_sizes: [u8; 2],
    pub block_size: u8,
    pub rounds: u8,
}

/// One backend's known answers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_selftest_result {
    pub engine: *const c_char,
    pub backend: *const c_char,
    pub usable: c_int,
    pub selected: c_int,
    pub failed: c_int,
}

/// Called for each backend by `cprng_selftest`.
pub type cprng_selftest_report = Option<unsafe extern "C" fn(result: *const cprng_selftest_result, arg: *mut c_void)>;

/// An entry of a table of weights.  Its fields are not for programs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct cprng_alias {
    pub share: u64,
    pub other: u64,
}

/// Weights of choices, with their table.  Its fields are not for programs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_weights {
    pub table: *const cprng_alias,
    pub count: u64,
    pub sum: u64,
    pub bound: u64,
    pub refused: u64,
}
