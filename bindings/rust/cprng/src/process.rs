// SPDX-License-Identifier: BSD-2-Clause
//! Process-wide functions: invalidations and reseeds, the application's entropy, information about draws.

use crate::error::text;
use crate::Error;
use core::ffi::{c_int, c_uint, c_void, CStr};
use core::mem::MaybeUninit;

/// Drop all buffered bytes, for all CPUs and threads: no byte drawn after the return was generated before the call.
/// Other threads may draw meanwhile.
///
/// Call it after an event that the library cannot see, such as the end of a restore from a snapshot in a virtual machine
/// without a generation that user space can read.  (A fork needs nothing.)
///
/// # Examples
/// ```
/// cprng::invalidate();
/// ```
pub fn invalidate() {
    cprng_sys::cprng_invalidate();
}

/// Do what [`invalidate`] does, and reseed every CPU from the kernel before its next bytes.
///
/// # Errors
/// [`Error::Entropy`], with nothing changed, if the kernel does not answer.
///
/// # Examples
/// ```
/// cprng::reseed()?;
/// # Ok::<(), cprng::Error>(())
/// ```
pub fn reseed() -> Result<(), Error> {
    Error::check(cprng_sys::cprng_reseed())
}

/// Disable the buffers until the calling process, a child that shares its parent's memory, has ended: after `vfork`, or
/// `clone` with `CLONE_VM`, before any other function of the crate.  `<cprng/cprng.h>` has the whole contract.  `fork`
/// and `std::process::Command` need nothing.
///
/// A process that calls it by mistake draws from the kernel from then on, which is slow but safe.
///
/// # Examples
/// ```no_run
/// # mod libc { pub unsafe fn vfork() -> i32 { 0 } pub unsafe fn _exit(_: i32) -> ! { loop {} } }
/// // SAFETY: the child calls this crate, execve() and _exit(), and does not return.
/// if unsafe { libc::vfork() } == 0 {
///     cprng::vfork_child();
///     let salt: [u8; 16] = cprng::bytes();
///     // execve(...)
///     unsafe { libc::_exit(1) }
/// }
/// ```
pub fn vfork_child() {
    cprng_sys::cprng_vfork_child();
}

/// Add an event that the application saw (times of arrival, measurements, user input), at most 32 bytes, to the process's
/// Fortuna.  `entropy_bits` is the number of bits that an attacker cannot know; use 0 if in doubt.  No input makes the output
/// worse.  The application numbers its sources from 0 to 127.
///
/// # Errors
/// [`Error::Argument`], [`Error::Source`], [`Error::Size`], or [`Error::Full`]: the event was dropped.
///
/// # Examples
/// ```
/// cprng::add_entropy(0, b"what a sensor measured", 4)?;
/// # Ok::<(), cprng::Error>(())
/// ```
pub fn add_entropy(source: u32, event: &[u8], entropy_bits: u32) -> Result<(), Error> {
    // SAFETY: the bytes are the slice's.
    Error::check(unsafe {
        cprng_sys::cprng_add_entropy(source as c_uint, event.as_ptr().cast(), event.len(), entropy_bits as c_uint)
    })
}

/// The findings of [`seed_file`].
///
/// # Examples
/// ```
/// # fn start(path: &std::ffi::CStr) -> Result<(), cprng::Error> {
/// let found = cprng::seed_file(path)?;
/// if found != cprng::SeedFile::default() {
///     eprintln!("the seed file was not reliable: {found:?}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct SeedFile {
    /// There was no file.
    pub missing: bool,
    /// It had less than 64 bytes.
    pub short: bool,
    /// Other users could read or write it.
    pub exposed: bool,
    /// Another process held its lock, so it was not mixed.
    pub locked: bool,
}

/// Carry entropy across restarts in a file of 64 bytes, mode 0600: mix its content into the process's Fortuna and, before the
/// return, replace it by bytes that are independent of the process's draws.
///
/// # Errors
/// [`Error::Argument`], [`Error::FileType`], [`Error::FileOwner`], [`Error::Busy`] or [`Error::System`], with
/// nothing mixed.
///
/// # Examples
/// ```
/// # let directory = std::env::temp_dir().join(format!("cprng-{}", std::process::id()));
/// # std::fs::create_dir_all(&directory).unwrap();
/// # let path = std::ffi::CString::new(directory.join("seed").to_str().unwrap()).unwrap();
/// assert!(cprng::seed_file(&path)?.missing); // c"/var/lib/example/seed", say
/// assert!(!cprng::seed_file(&path)?.missing);
/// # std::fs::remove_dir_all(&directory).unwrap();
/// # Ok::<(), cprng::Error>(())
/// ```
pub fn seed_file(path: &CStr) -> Result<SeedFile, Error> {
    // SAFETY: a string of C.
    let found = unsafe { cprng_sys::cprng_seed_file(path.as_ptr()) };
    if found < 0 {
        Error::check(found)?;
    }
    let has = |remark: c_int| found & remark != 0;
    Ok(SeedFile {
        missing: has(cprng_sys::CPRNG_SEED_MISSING),
        short: has(cprng_sys::CPRNG_SEED_SHORT),
        exposed: has(cprng_sys::CPRNG_SEED_EXPOSED),
        locked: has(cprng_sys::CPRNG_SEED_LOCKED),
    })
}

/// The implementation of this process's draws.
///
/// # Examples
/// ```
/// let info = cprng::info();
/// println!("{} by {} from buffers {}", info.engine, info.backend, info.placement);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Info {
    /// "aes256-ctr", "chacha20".
    pub engine: &'static str,
    /// "vaes512", "portable", ...
    pub backend: &'static str,
    /// "per-cpu" (restartable sequences), "slots" (claimed), "unbuffered".
    pub placement: &'static str,
    /// "vdso-getrandom", "getrandom".
    pub entropy: &'static str,
    /// "wipe-on-fork", "none-on-fork" (macOS), "no fork" (Windows), or "unbuffered" if the system does not wipe pages.
    pub fork_guard: &'static str,
    /// "locked", "refused", "none" (nothing is buffered).
    pub memory_lock: &'static str,
    /// The maximum number of buffers: one for each possible CPU, or slot; 0 when unbuffered.
    pub buffers: u32,
    /// Bytes of memory of a buffer in use, including its key and bookkeeping.
    pub state_bytes: u32,
    /// The maximum number of random bytes in that memory.
    pub buffer_bytes: u32,
    /// The maximum number of refills between two reseeds.
    pub refills_per_reseed: u32,
    /// Seconds after which a refill is reseeded with bytes from a system call.
    pub seconds_per_reseed: u32,
}

/// Return the implementation, after a draw that chooses and sets up everything.
///
/// # Examples
/// ```
/// assert!(["per-cpu", "slots", "unbuffered"].contains(&cprng::info().placement));
/// ```
pub fn info() -> Info {
    let mut info = MaybeUninit::<cprng_sys::cprng_info>::zeroed();
    // SAFETY: the size is the structure's, all of which is written, or is valid as zeros.
    let info = unsafe {
        cprng_sys::cprng_get_info(info.as_mut_ptr(), size_of::<cprng_sys::cprng_info>());
        info.assume_init()
    };
    Info {
        engine: text(info.engine),
        backend: text(info.backend),
        placement: text(info.placement),
        entropy: text(info.entropy),
        fork_guard: text(info.fork_guard),
        memory_lock: text(info.memory_lock),
        buffers: info.buffers,
        state_bytes: info.state_bytes,
        buffer_bytes: info.buffer_bytes,
        refills_per_reseed: info.refills_per_reseed,
        seconds_per_reseed: info.seconds_per_reseed,
    }
}

/// A source of the process's Fortuna.
///
/// # Examples
/// ```
/// let kernel = cprng::strong_info().sources().find(|source| source.name == "kernel");
/// assert!(kernel.is_some_and(|source| source.events > 0));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Source {
    /// "kernel", "cpu-seed", "cpu-random", "jitter", "vm-generation", "application".
    pub name: &'static str,
    /// "absent", "starting", "healthy", "retired"; of the application "used", "unused".
    pub state: &'static str,
    /// Events given to the pools, or taken by the queue.
    pub events: u64,
    /// Samples seen by the health tests.
    pub samples: u64,
}

/// The implementation of [`Strong`](crate::Strong).
///
/// # Examples
/// ```
/// let info = cprng::strong_info();
/// println!("{} reseeds from {} events, {} dropped", info.reseeds, info.events, info.dropped);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct StrongInfo {
    /// As in [`Info`].
    pub engine: &'static str,
    /// As in [`Info`].
    pub backend: &'static str,
    /// Readers generate under the lock.
    pub locked_reads: bool,
    /// Reseeds from the pools, in this process.
    pub reseeds: u64,
    /// Events that the pools got.
    pub events: u64,
    /// Events that found the queue full.
    pub dropped: u64,
    source: [Source; cprng_sys::CPRNG_SOURCES_MAX],
    count: usize,
}

impl StrongInfo {
    /// The sources, in the library's order.
    ///
    /// # Examples
    /// ```
    /// for source in cprng::strong_info().sources() {
    ///     println!("{}: {}", source.name, source.state);
    /// }
    /// ```
    pub fn sources(&self) -> impl Iterator<Item = Source> + '_ {
        self.source[..self.count].iter().copied()
    }
}

/// Return the implementation of [`Strong`](crate::Strong), after a read that sets everything up.
///
/// # Examples
/// ```
/// assert!(!cprng::strong_info().locked_reads);
/// ```
pub fn strong_info() -> StrongInfo {
    let mut info = MaybeUninit::<cprng_sys::cprng_strong_info>::zeroed();
    // SAFETY: as above.
    let info = unsafe {
        cprng_sys::cprng_get_strong_info(info.as_mut_ptr(), size_of::<cprng_sys::cprng_strong_info>());
        info.assume_init()
    };
    let mut source = [Source::default(); cprng_sys::CPRNG_SOURCES_MAX];
    for (to, from) in source.iter_mut().zip(info.source) {
        *to = Source { name: text(from.name), state: text(from.state), events: from.events, samples: from.samples };
    }
    StrongInfo {
        engine: text(info.engine),
        backend: text(info.backend),
        locked_reads: info.locked_reads != 0,
        reseeds: info.reseeds,
        events: info.events,
        dropped: info.dropped,
        source,
        count: (info.sources as usize).min(cprng_sys::CPRNG_SOURCES_MAX),
    }
}

/// Run the known answers of every engine on every backend that was built, and return the number of usable ones that failed.
/// (Each backend passes its own before it is used; this is for programs that must show it.)  Takes milliseconds.
///
/// # Examples
/// ```
/// assert_eq!(cprng::selftest(), 0);
/// ```
pub fn selftest() -> u32 {
    // SAFETY: there is no callback.
    let failed = unsafe { cprng_sys::cprng_selftest(None, core::ptr::null_mut::<c_void>()) };
    failed.unsigned_abs()
}

/// Return the version of the C library, which is the crate's.
///
/// # Examples
/// ```
/// assert_eq!(cprng::version().split('.').count(), 3);
/// ```
pub fn version() -> &'static str {
    text(cprng_sys::cprng_version())
}
