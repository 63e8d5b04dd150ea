// SPDX-License-Identifier: BSD-2-Clause
//! The generators of Rust programs, measured in Rust, where draws are inlined: a call from C costs more than a draw.
//!
//!     cprng-lab-rust serve kept|random|aws-lc          answers requests on standard input (lab/peers/contenders/program.hpp)
//!     cprng-lab-rust first-byte kept|random|aws-lc     draws one byte, and prints the nanoseconds that took

mod clock;
mod sources;

use clock::cpu_seconds;
use sources::Source;
use std::hint::black_box;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Barrier;
use std::time::{Duration, Instant};

struct Request {
    what: String,
    length: usize,
    bounds: Vec<u32>,
}

/// Uses the number and forces the generator's state into memory, as code between two draws would.
#[inline(always)]
fn used<Number: Into<u64>>(number: Number) {
    #[cfg(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    ))]
    // SAFETY: it emits no instruction.
    unsafe {
        std::arch::asm!("/* {0} */", in(reg) number.into(), options(nostack, preserves_flags))
    }
    #[cfg(not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )))]
    black_box(number.into());
}

/// Numbers below the bounds in turn; returns the last.  This must be the only place that draws them: with a second one
/// the compiler would call the library's function, which it inlines in a program with one.
#[inline(never)]
fn below<S: Source>(source: &mut S, bounds: &[u32], count: u64) -> u32 {
    let mask = bounds.len() - 1;
    let mut last = 0;
    for i in 0..count as usize {
        last = source.below(bounds[i & mask]);
        used(last);
    }
    last
}

#[inline(never)]
fn arrays<S: Source, const SIZE: usize>(source: &mut S, count: u64) {
    for _ in 0..count {
        black_box(source.array::<SIZE>());
    }
}

/// Arrays of a length that the compiler knows: those of lab/peers/contenders/contender.hpp.
fn fixed<S: Source>(source: &mut S, length: usize, count: u64) {
    match length {
        1 => arrays::<S, 1>(source, count),
        2 => arrays::<S, 2>(source, count),
        4 => arrays::<S, 4>(source, count),
        8 => arrays::<S, 8>(source, count),
        12 => arrays::<S, 12>(source, count),
        16 => arrays::<S, 16>(source, count),
        24 => arrays::<S, 24>(source, count),
        32 => arrays::<S, 32>(source, count),
        48 => arrays::<S, 48>(source, count),
        64 => arrays::<S, 64>(source, count),
        other => fail(&format!("no fixed length: {other}")),
    }
}

fn run<S: Source>(source: &mut S, request: &Request, buffer: &mut [u8], count: u64) {
    match request.what.as_str() {
        "8" => (0..count).for_each(|_| used(source.next8())),
        "16" => (0..count).for_each(|_| used(source.next16())),
        "32" => (0..count).for_each(|_| used(source.next32())),
        "64" => (0..count).for_each(|_| used(source.next64())),
        "below" => {
            below(source, &request.bounds, count);
        }
        "fill" => {
            for _ in 0..count {
                source.fill(buffer);
                black_box(&mut *buffer);
            }
        }
        "fixed" => fixed(source, request.length, count),
        other => fail(&format!("no such request: {other}")),
    }
}

fn number<S: Source>(source: &mut S, what: &str, bound: u32) -> u64 {
    match what {
        "8" => source.next8().into(),
        "16" => source.next16().into(),
        "32" => source.next32().into(),
        "64" => source.next64(),
        "below" => below(source, &[bound], 1).into(),
        other => fail(&format!("no such request: {other}")),
    }
}

/// Total calls, and seconds.
fn run_in_threads<S: Source>(request: &Request, threads: usize, seconds: f64) -> (u64, f64) {
    const AT_ONCE: u64 = 64; // calls between two looks at the flag
    let (begin, stop) = (Barrier::new(threads + 1), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let work = || {
            let mut source = S::new();
            let mut buffer = vec![1; request.length];
            run(&mut source, request, &mut buffer, 1);
            begin.wait();
            let mut calls = 0;
            // At least once: on a busy machine the time may be over before a thread runs.
            loop {
                run(&mut source, request, &mut buffer, AT_ONCE);
                calls += AT_ONCE;
                if stop.load(Ordering::Relaxed) {
                    return calls;
                }
            }
        };
        let all: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        begin.wait();
        let start = Instant::now();
        std::thread::sleep(Duration::from_secs_f64(seconds));
        stop.store(true, Ordering::Relaxed);
        let calls = all.into_iter().map(|thread| thread.join().unwrap()).sum();
        (calls, start.elapsed().as_secs_f64())
    })
}

fn parse<T: std::str::FromStr>(word: Option<&str>) -> T {
    word.and_then(|word| word.parse().ok())
        .unwrap_or_else(|| fail("a request makes no sense"))
}

fn parse_request<'a>(words: &mut impl Iterator<Item = &'a str>) -> Request {
    let what = parse(words.next());
    let length = parse(words.next());
    let bounds = parse::<String>(words.next());
    Request {
        what,
        length,
        bounds: bounds.split(',').map(|bound| parse(Some(bound))).collect(),
    }
}

fn serve<S: Source>() {
    let mut source = S::new();
    let mut buffer = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap_or_else(|error| fail(&error.to_string()));
        let mut words = line.split(' ');
        match words.next().unwrap() {
            "loop" => {
                let count = parse(words.next());
                let request = parse_request(&mut words);
                // Touch the memory before measuring, and keep it while its size is the same.
                if buffer.len() != request.length {
                    drop(std::mem::take(&mut buffer));
                    buffer = vec![1; request.length];
                }
                let begin = cpu_seconds();
                run(&mut source, &request, &mut buffer, count);
                println!("{count} {}", cpu_seconds() - begin);
            }
            "threads" => {
                let threads = parse(words.next());
                let seconds = parse(words.next());
                let (calls, took) =
                    run_in_threads::<S>(&parse_request(&mut words), threads, seconds);
                println!("{calls} {took}");
            }
            "bytes" => {
                let mut bytes = vec![0; parse(words.next())];
                source.fill(&mut bytes);
                println!(
                    "{}",
                    bytes
                        .iter()
                        .map(|byte| format!("{byte:02x}"))
                        .collect::<String>()
                );
            }
            "number" => {
                let what: String = parse(words.next());
                println!("{}", number(&mut source, &what, parse(words.next())));
            }
            _ => fail("a request makes no sense"),
        }
    }
}

fn first<S: Source>() {
    let begin = Instant::now();
    let mut byte = [0];
    S::new().fill(&mut byte);
    black_box(byte);
    println!("{}", begin.elapsed().as_nanos());
}

fn fail(what: &str) -> ! {
    eprintln!("cprng-lab-rust: {what}");
    std::process::exit(1)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", "kept"] => serve::<sources::Kept>(),
        ["serve", "random"] => serve::<sources::Random>(),
        ["first-byte", "kept"] => first::<sources::Kept>(),
        ["first-byte", "random"] => first::<sources::Random>(),
        #[cfg(feature = "aws-lc")]
        ["serve", "aws-lc"] => serve::<sources::AwsLc>(),
        #[cfg(feature = "aws-lc")]
        ["first-byte", "aws-lc"] => first::<sources::AwsLc>(),
        _ => fail("usage: cprng-lab-rust serve|first-byte kept|random|aws-lc"),
    }
}
