// SPDX-License-Identifier: BSD-2-Clause
//! Memory that only the library has written, for MemorySanitizer: `bindings/rust/test` runs these tests with it where there is a
//! Rust that has it.  Its own library is not compiled for it, so these tests use as little of it as they can.

use core::mem::MaybeUninit;

/// Catches a function whose bytes the sanitizer reports where a program uses them.
#[test]
fn drawn_bytes_are_written() {
    let few: [u8; 3] = cprng::bytes();
    let key: [u8; 32] = cprng::bytes();
    let many: [u8; 1000] = cprng::bytes();
    let mut memory = [const { MaybeUninit::uninit() }; 100];
    let filled = cprng::fill_uninit(&mut memory);
    let mut zeros = 0;
    for bytes in [&few[..], &key, &many, filled] {
        for byte in bytes {
            if *byte == 0 {
                zeros += 1;
            }
        }
    }
    assert!(zeros < 100);
}

/// Catches a run without the sanitizer, which would find nothing.
#[test]
#[ignore = "the sanitizer ends the program"]
fn unwritten_bytes_are_reported() {
    let memory = MaybeUninit::<[u8; 16]>::uninit();
    // SAFETY: there is none: the sanitizer ends the program here.
    let memory = unsafe { core::hint::black_box(memory).assume_init() };
    assert!(memory[3] != 7);
}
