// SPDX-License-Identifier: BSD-2-Clause
//! The types and constants of `<cprng/cprng.h>`.

use core::ffi::{c_char, c_int, c_void};

/// No error.
pub const CPRNG_OK: c_int = 0;
/// No engine of that name.
pub const CPRNG_ERR_ENGINE: c_int = -1;
/// The engine does not take a key of that many bytes.
pub const CPRNG_ERR_KEY_SIZE: c_int = -2;
/// The engine does not take a nonce of that many bytes.
pub const CPRNG_ERR_NONCE_SIZE: c_int = -3;
/// Past the end of the keystream or of 64-bit byte offsets.
pub const CPRNG_ERR_RANGE: c_int = -4;
/// The kernel's random numbers are unavailable.
pub const CPRNG_ERR_ENTROPY: c_int = -5;
/// Every backend of the engine fails its known answers.
pub const CPRNG_ERR_SELFTEST: c_int = -6;
/// A NULL pointer where data is needed, a number out of its range.
pub const CPRNG_ERR_ARGUMENT: c_int = -7;
/// No entropy source of that number.
pub const CPRNG_ERR_SOURCE: c_int = -8;
/// Too many bytes for an event, or too few for a seed.
pub const CPRNG_ERR_SIZE: c_int = -9;
/// The harvest queue is full: the event was dropped.
pub const CPRNG_ERR_FULL: c_int = -10;
/// There was no reseed yet, so there is no output.
pub const CPRNG_ERR_UNSEEDED: c_int = -11;
/// No memory.
pub const CPRNG_ERR_MEMORY: c_int = -12;
/// Pages cannot be wiped on a fork here.
pub const CPRNG_ERR_UNSUPPORTED: c_int = -13;
/// A system call failed: errno says why.
pub const CPRNG_ERR_SYSTEM: c_int = -14;
/// Not a regular file.
pub const CPRNG_ERR_FILE_TYPE: c_int = -15;
/// The file belongs to another user.
pub const CPRNG_ERR_FILE_OWNER: c_int = -16;
/// Another process holds the lock of the file.
pub const CPRNG_ERR_BUSY: c_int = -17;
/// Not a checkpoint of a stream, or not a whole one.
pub const CPRNG_ERR_CHECKPOINT: c_int = -18;

/// There was no seed file.
pub const CPRNG_SEED_MISSING: c_int = 1;
/// The seed file had less than 64 bytes.
pub const CPRNG_SEED_SHORT: c_int = 2;
/// Other users could read or write the seed file.
pub const CPRNG_SEED_EXPOSED: c_int = 4;
/// Another process held the seed file's lock, so it was not mixed.
pub const CPRNG_SEED_LOCKED: c_int = 8;

/// The application numbers its sources from 0 to one less than this.
pub const CPRNG_APPLICATION_SOURCES: c_int = 128;
/// Room for sources in [`cprng_strong_info`].
pub const CPRNG_SOURCES_MAX: usize = 8;

/// The implementation of this process's draws.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_info {
    /// "aes256-ctr", "chacha20".
    pub engine: *const c_char,
    /// "vaes512", "portable", ...
    pub backend: *const c_char,
    /// "per-cpu", "slots", "unbuffered".
    pub placement: *const c_char,
    /// "vdso-getrandom", "getrandom".
    pub entropy: *const c_char,
    /// "wipe-on-fork", "none-on-fork", "no fork", "unbuffered".
    pub fork_guard: *const c_char,
    /// "locked", "refused", "none".
    pub memory_lock: *const c_char,
    /// The maximum number of buffers.
    pub buffers: u32,
    /// Bytes of memory of a buffer in use.
    pub state_bytes: u32,
    /// The maximum number of random bytes in a buffer.
    pub buffer_bytes: u32,
    /// The maximum number of refills between two reseeds.
    pub refills_per_reseed: u32,
    /// Seconds between two reseeds by system call.
    pub seconds_per_reseed: u32,
    /// The mechanism by which this process detects a clone of the machine.
    pub announcements: *const c_char,
    /// The name of the generation file; empty if none is named.
    pub generation_file: *const c_char,
    /// Whether that file is mapped, or why it is refused.
    pub generation_file_state: *const c_char,
}

/// A source of the process's Fortuna.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_source_info {
    /// "kernel", "jitter", ...
    pub name: *const c_char,
    /// "absent", "starting", "healthy", "retired", "used", "unused".
    pub state: *const c_char,
    /// Events given to the pools, or taken by the queue.
    pub events: u64,
    /// Samples that the health tests have seen.
    pub samples: u64,
}

/// The implementation of `cprng_strong`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_strong_info {
    /// As in [`cprng_info`].
    pub engine: *const c_char,
    /// As in [`cprng_info`].
    pub backend: *const c_char,
    /// Not 0: readers generate under the lock.
    pub locked_reads: c_int,
    /// The number of valid elements in `source`.
    pub sources: u32,
    /// Reseeds from the pools, in this process.
    pub reseeds: u64,
    /// Events that the pools got.
    pub events: u64,
    /// Events that found the queue full.
    pub dropped: u64,
    /// The sources.
    pub source: [cprng_source_info; CPRNG_SOURCES_MAX],
}

/// An engine.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_engine_info {
    /// Its name.
    pub name: *const c_char,
    /// Bytes of its keys; 0 for none.
    pub key_sizes: [u8; 2],
    /// Bytes of its nonces; 0 for none.
    pub nonce_sizes: [u8; 2],
    /// Bytes of a block.
    pub block_size: u8,
    /// Rounds of the cipher.
    pub rounds: u8,
}

/// One backend's known answers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_selftest_result {
    /// The engine.
    pub engine: *const c_char,
    /// The backend.
    pub backend: *const c_char,
    /// This CPU can run it.
    pub usable: c_int,
    /// The engine uses this backend.
    pub selected: c_int,
    /// 0, or the number of the first wrong known answer.
    pub failed: c_int,
}

/// Called for each backend by `cprng_selftest`.
pub type cprng_selftest_report = Option<unsafe extern "C" fn(result: *const cprng_selftest_result, arg: *mut c_void)>;

/// An entry of a table of weights.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct cprng_alias {
    /// Not for programs.
    pub share: u64,
    /// Not for programs.
    pub other: u64,
}

/// Weights of choices, with their table.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cprng_weights {
    /// Not for programs, as all fields.
    pub table: *const cprng_alias,
    /// The number of weights.
    pub count: u64,
    /// Their sum.
    pub sum: u64,
    /// The product of the two.
    pub bound: u64,
    /// 2^32 or 2^64 modulo the product.
    pub refused: u64,
}
