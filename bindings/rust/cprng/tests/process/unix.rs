// SPDX-License-Identifier: BSD-2-Clause
//! Forks, signals, and copies of the process.

use super::assert_unique;
use cprng::Cprng;
#[cfg(target_os = "linux")]
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Read what a child writes, and wait for it.
fn in_child<const SIZE: usize>(work: impl FnOnce() -> [u8; SIZE]) -> [u8; SIZE] {
    let mut ends = [0; 2];
    let mut result = [0u8; SIZE];
    // SAFETY: the child draws, writes and ends, which the child of a multithreaded process may do.
    unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        let child = libc::fork();
        assert!(child >= 0);
        if child == 0 {
            let bytes = work();
            let written = libc::write(ends[1], bytes.as_ptr().cast(), SIZE);
            libc::_exit(i32::from(written != SIZE as isize));
        }
        libc::close(ends[1]);
        assert_eq!(libc::read(ends[0], result.as_mut_ptr().cast(), SIZE), SIZE as isize);
        libc::close(ends[0]);
        let mut status = 0;
        assert_eq!(libc::waitpid(child, &mut status, 0), child);
        assert_eq!(status, 0);
    }
    result
}

fn numbers_of<const SIZE: usize>(bytes: [u8; SIZE]) -> impl Iterator<Item = u64> {
    (0..SIZE / 8).map(move |i| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().unwrap()))
}

fn draws<const SIZE: usize>() -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    for word in bytes.chunks_mut(8) {
        word.copy_from_slice(&Cprng.u64().to_le_bytes());
    }
    bytes
}

/// Catches a child that draws the same as its parent: by the inlined draws, and by cprng_fast().
#[test]
fn forked_children_draw_for_themselves() {
    let mut seen = Vec::new();
    for _ in 0..30 {
        Cprng.u64(); // fills the buffer
        seen.extend(numbers_of(in_child(draws::<256>)));
        seen.extend(numbers_of(in_child(cprng::bytes::<256>)));
        seen.extend(numbers_of(in_child(cprng::bytes::<16>)));
        seen.extend(numbers_of(in_child(cprng::bytes::<64>)));
        seen.extend(numbers_of(in_child(|| cprng::Strong.bytes::<256>())));
        // A grandchild, of a child that has not drawn.
        seen.extend(numbers_of(in_child(|| in_child(draws::<256>))));
        seen.extend(numbers_of(draws::<256>()));
        seen.extend(numbers_of(cprng::bytes::<256>()));
        seen.extend(numbers_of(cprng::bytes::<16>()));
        seen.extend(numbers_of(cprng::bytes::<64>()));
        seen.extend(numbers_of(cprng::Strong.bytes::<256>()));
    }
    assert_unique(seen);
}

const SLOTS: usize = 20_000;
static FROM_HANDLER: [std::sync::atomic::AtomicU64; SLOTS] = [const { std::sync::atomic::AtomicU64::new(0) }; SLOTS];
static TAKEN: AtomicUsize = AtomicUsize::new(0);

extern "C" fn draw_in_handler(_: i32) {
    let slot = TAKEN.fetch_add(1, Ordering::Relaxed);
    if slot < SLOTS {
        FROM_HANDLER[slot].store(Cprng.u64(), Ordering::Relaxed);
    }
}

/// Catches a signal handler that draws the same as the interrupted draw.  cprng-sys/tests/restart.rs has a signal at
/// each instruction; here another thread sends them at arbitrary times.
#[test]
fn handlers_share_no_output() {
    let mut numbers = Vec::with_capacity(1 << 21);
    let done = AtomicBool::new(false);
    // SAFETY: the handler draws, which is async-signal-safe, and stores to memory that lives as long as the process.
    unsafe {
        let handler: extern "C" fn(i32) = draw_in_handler;
        libc::signal(libc::SIGUSR1, handler as *const () as libc::sighandler_t);
        let target = libc::pthread_self() as usize;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    libc::pthread_kill(target as libc::pthread_t, libc::SIGUSR1);
                    std::thread::yield_now();
                }
            });
            while TAKEN.load(Ordering::Relaxed) < 500 || numbers.len() < 100_000 {
                for _ in 0..64 {
                    if numbers.len() < 1 << 21 {
                        numbers.push(Cprng.u64());
                    }
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }
    let count = TAKEN.load(Ordering::Relaxed).min(SLOTS);
    numbers.extend(FROM_HANDLER[..count].iter().map(|slot| slot.load(Ordering::Relaxed)));
    assert_unique(numbers);
}

/// Write UUIDs of two copies of this process to standard output: `fork` is that of copied.c.  First the child, and then the parent.
#[cfg(target_os = "linux")]
fn draw_in_copies(announced: bool) -> ! {
    fn uuid() -> [u8; 16] {
        let mut bytes = cprng::bytes::<16>();
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        bytes
    }
    // The first draws of a process are the kernel's.
    for _ in 0..3 {
        uuid();
    }
    let mut status = 0;
    // SAFETY: the copies draw, write and end.
    unsafe {
        let child = libc::fork();
        if announced {
            cprng::invalidate();
        }
        let uuids: Vec<u8> = (0..COPIES_DRAW).flat_map(|_| uuid()).collect();
        if child != 0 {
            libc::waitpid(child, &mut status, 0);
        }
        for left in uuids.chunks(4096) {
            if libc::write(1, left.as_ptr().cast(), left.len()) != left.len() as isize {
                status = 1;
            }
        }
        libc::_exit(i32::from(status != 0))
    }
}

#[cfg(target_os = "linux")]
const COPIES_DRAW: usize = 4096;

/// Catches UUIDs beyond one buffer that two copies of a process have in common, and one that an invalidation leaves.
#[test]
#[cfg(target_os = "linux")]
fn copies_draw_others() {
    const VARIABLE: &str = "CPRNG_RUST_COPIES";
    if let Ok(how) = std::env::var(VARIABLE) {
        draw_in_copies(how == "announced");
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/system/dropin/copied.c");
    if !std::path::Path::new(source).exists() {
        return; // a package, outside of the checkout
    }
    let library = concat!(env!("CARGO_TARGET_TMPDIR"), "/copied.so");
    let compiled = std::process::Command::new("cc")
        .args(["-O2", "-shared", "-fPIC", "-o", library, source])
        .status();
    assert!(compiled.unwrap().success());
    for (how, least, most) in [("unannounced", 1, 4032 / 16), ("announced", 0, 0)] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "unix::copies_draw_others",
                "--nocapture",
                "--test-threads=1",
                "--quiet",
            ])
            .env(VARIABLE, how)
            .env("LD_PRELOAD", library)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        // What the test's frame prints comes before.
        let uuids = &output.stdout[output.stdout.len() - 2 * 16 * COPIES_DRAW..];
        let (child, parent) = uuids.split_at(uuids.len() / 2);
        let seen: HashSet<&[u8]> = child.chunks(16).collect();
        let common = parent.chunks(16).filter(|uuid| seen.contains(uuid)).count();
        assert!((least..=most).contains(&common), "{how}: {common} in common");
    }
}
