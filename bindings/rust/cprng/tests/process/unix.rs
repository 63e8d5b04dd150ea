// SPDX-License-Identifier: BSD-2-Clause
//! Forks and signals.

use super::assert_unique;
use cprng::Cprng;
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
