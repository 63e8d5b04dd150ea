// SPDX-License-Identifier: BSD-2-Clause
//! rand as its users call it: `kept` handle, or `random` without one; and AWS-LC.

use rand::{Rng, RngExt};
use std::hint::black_box;

fn cpu_seconds() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    assert!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } == 0);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

fn measure(name: &str, mut call: impl FnMut()) {
    let mut calls = 1u64;
    loop {
        let begin = cpu_seconds();
        for _ in 0..calls {
            call();
        }
        let took = cpu_seconds() - begin;
        if took > 0.1 {
            return println!("{name} {:.4}", took / calls as f64 * 1e9);
        }
        calls *= 2;
    }
}

fn main() {
    let mut buffer = [0u8; 256];
    let mut rng = rand::rng();
    match std::env::args().nth(1).as_deref() {
        Some("kept") => {
            measure("bits32", || {
                black_box(rng.random::<u32>());
            });
            measure("fill256", || rng.fill_bytes(black_box(&mut buffer)));
        }
        Some("random") => {
            measure("bits32", || {
                black_box(rand::random::<u32>());
            });
            measure("fill256", || rand::fill(black_box(&mut buffer)));
        }
        #[cfg(feature = "aws-lc")]
        Some("aws-lc") => {
            measure("bits32", || {
                aws_lc_rs::rand::fill(black_box(&mut buffer[..4])).unwrap()
            });
            measure("fill256", || {
                aws_lc_rs::rand::fill(black_box(&mut buffer)).unwrap()
            });
        }
        _ => std::process::exit(2),
    }
}
