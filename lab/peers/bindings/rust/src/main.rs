// SPDX-License-Identifier: BSD-2-Clause
//! cprng-lab-bindings-rust TASK GENERATOR SECONDS: print a call's nanoseconds of CPU time, measured in a loop of that length.
//! Without arguments: print the tasks, each with its generators.

use cprng::{Cprng, Stream, Strong};
use rand::rngs::{SmallRng, StdRng};
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::StandardNormal;
use std::hint::black_box;

/// Uses the number and forces the generator's state into memory, as code between two draws would.
#[inline(always)]
fn used<Number: Into<u64>>(number: Number) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: it emits no instruction.
    unsafe {
        std::arch::asm!("/* {0} */", in(reg) number.into(), options(nostack, preserves_flags))
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    black_box(number.into());
}

/// The CPU time of this thread.
fn cpu_seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a timespec.
    assert_eq!(
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) },
        0
    );
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

/// Nanoseconds per call, over as many calls as fill the time.
fn time(seconds: f64, mut call: impl FnMut()) -> f64 {
    let mut count = 16u64;
    loop {
        let begin = cpu_seconds();
        for _ in 0..count {
            call();
        }
        let took = cpu_seconds() - begin;
        if took >= seconds {
            return took * 1e9 / count as f64;
        }
        let more = (seconds * 1.1 / took.max(1e-9)).clamp(2.0, 64.0);
        count = (count as f64 * more) as u64;
    }
}

const BOUND: u32 = 1_000_000;

/// The operations that all of rand's generators have.
fn run(task: &str, mut rng: impl Rng, seconds: f64) -> Option<f64> {
    Some(match task {
        "u32" => time(seconds, || used(rng.next_u32())),
        "u64" => time(seconds, || used(rng.next_u64())),
        "below" => time(seconds, || used(rng.random_range(0..BOUND))),
        "double" => time(seconds, || used(rng.random::<f64>().to_bits())),
        "normal" => time(seconds, || used(rng.sample::<f64, _>(StandardNormal).to_bits())),
        "32 B" => fill(&mut rng, 32, seconds),
        "4 KiB" => fill(&mut rng, 4096, seconds),
        "64 KiB" => fill(&mut rng, 65536, seconds),
        _ => return None,
    })
}

fn fill(rng: &mut impl Rng, size: usize, seconds: f64) -> f64 {
    let mut bytes = vec![0; size];
    time(seconds, || {
        rng.fill_bytes(&mut bytes);
        black_box(&mut bytes);
    })
}

/// The crate's own functions that rand lacks.
fn own(task: &str, seconds: f64) -> Option<f64> {
    Some(match task {
        "below" => time(seconds, || used(Cprng.below(BOUND))),
        "double" => time(seconds, || used(Cprng.f64().to_bits())),
        "normal" => time(seconds, || used(Cprng.normal(0.0, 1.0).to_bits())),
        _ => return None,
    })
}

fn own_stream(task: &str, seconds: f64) -> Option<f64> {
    let mut stream = Stream::new(42);
    Some(match task {
        "below" => time(seconds, || used(stream.below(BOUND))),
        "normal" => time(seconds, || used(stream.normal(0.0, 1.0).to_bits())),
        _ => return None,
    })
}

/// The draw as a call, not inlined.
fn called(task: &str, seconds: f64) -> Option<f64> {
    Some(match task {
        "u32" => time(seconds, || used(cprng_sys::cprng_fast32())),
        "u64" => time(seconds, || used(cprng_sys::cprng_fast64())),
        _ => return None,
    })
}

/// The functions without a handle.
fn free(task: &str, seconds: f64) -> Option<f64> {
    Some(match task {
        "u32" => time(seconds, || used(rand::random::<u32>())),
        "u64" => time(seconds, || used(rand::random::<u64>())),
        "below" => time(seconds, || used(rand::random_range(0..BOUND))),
        _ => return None,
    })
}

fn measure(task: &str, generator: &str, seconds: f64) -> Option<f64> {
    match generator {
        "cprng" => run(task, Cprng, seconds),
        "cprng, own functions" => own(task, seconds),
        "cprng, by a call" => called(task, seconds),
        "rand::rng()" => run(task, rand::rng(), seconds),
        "rand::random()" => free(task, seconds),
        "cprng Strong" if task == "32 B" => run(task, Strong, seconds),
        "cprng Stream" => run(task, Stream::new(42), seconds),
        "cprng Stream, own functions" => own_stream(task, seconds),
        "StdRng" => run(task, StdRng::seed_from_u64(42), seconds),
        "SmallRng" => run(task, SmallRng::seed_from_u64(42), seconds),
        _ => None,
    }
}

const TASKS: [&str; 8] = ["u32", "u64", "below", "double", "normal", "32 B", "4 KiB", "64 KiB"];
const GENERATORS: [&str; 10] = [
    "cprng",
    "cprng, own functions",
    "cprng, by a call",
    "rand::rng()",
    "rand::random()",
    "cprng Strong",
    "cprng Stream",
    "cprng Stream, own functions",
    "StdRng",
    "SmallRng",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => {
            for task in TASKS {
                for generator in GENERATORS
                    .iter()
                    .filter(|generator| measure(task, generator, 0.0).is_some())
                {
                    println!("{task}\t{generator}");
                }
            }
        }
        [task, generator, seconds] => {
            let seconds = seconds.parse().expect("a number of seconds");
            println!(
                "{}",
                measure(task, generator, seconds).expect("a task and one of its generators")
            );
        }
        _ => panic!("cprng-lab-bindings-rust TASK GENERATOR SECONDS"),
    }
}
