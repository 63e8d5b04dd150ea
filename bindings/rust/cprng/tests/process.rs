// SPDX-License-Identifier: BSD-2-Clause
//! Threads, forks and signals: no output is repeated.  Two of n 64-bit numbers are equal by chance with probability n^2
//! / 2^65, below 10^-7 in each of these tests; a test fails only if two such pairs occur.

use cprng::Cprng;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Mutex;

/// The count of repeated numbers, at most one of which may be chance.
fn assert_unique(mut numbers: Vec<u64>) {
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert!(
        count - numbers.len() <= 1,
        "{} of {count} numbers came twice",
        count - numbers.len()
    );
}

/// Catches two threads that receive the same bytes of a buffer.
#[test]
fn threads_share_no_output() {
    let all = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let own: Vec<u64> = (0..100_000).map(|_| Cprng.u64()).collect();
                all.lock().unwrap().extend(own);
            });
        }
    });
    assert_unique(all.into_inner().unwrap());
}

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

/// Catches a length for which bytes are left out, come twice, or are written beyond the end: lengths that the compiler knows,
/// and ones that it does not.  Two bytes are the same in all of 24 requests with probability 2^-192.
#[test]
fn all_bytes_of_a_request_are_random() {
    fn check(size: usize, name: &str, fill: impl Fn(&mut [u8])) {
        let mut requests = [[0xa5; 256]; 24];
        for memory in &mut requests {
            fill(&mut memory[64..64 + size]);
        }
        let mut columns = HashSet::from([[0xa5; 24]]);
        for at in 0..256 {
            let new = columns.insert(requests.map(|memory| memory[at]));
            assert_eq!(new, (64..64 + size).contains(&at), "{name} of {size}: byte {at}");
        }
    }
    macro_rules! sizes {
        ($($size:literal)*) => {$(
            check($size, "bytes", |to| to.copy_from_slice(&cprng::bytes::<$size>()));
            check($size, "fill", |to| cprng::fill(<&mut [u8; $size]>::try_from(to).unwrap()));
            check($size, "fill", |to| cprng::fill(std::hint::black_box(to)));
        )*};
    }
    sizes!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40);
    sizes!(41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 100);
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

/// Catches an error of the C library with another meaning, or none, in Rust.
#[test]
fn errors_have_the_library_s_texts() {
    let mut texts = HashMap::new();
    let errors = [
        cprng::Stream::keyed(cprng::Engine::ChaCha20, &[0; 31], &[]).unwrap_err(),
        cprng::Stream::keyed(cprng::Engine::ChaCha20, &[0; 32], &[0; 9]).unwrap_err(),
        cprng::Stream::from_bytes(&[0; 15]).unwrap_err(),
        cprng::Stream::restore(&[0; 128]).unwrap_err(),
        cprng::add_entropy(128, b"event", 0).unwrap_err(),
        cprng::add_entropy(0, b"event", 41).unwrap_err(),
        cprng::seed_file(c"/").unwrap_err(),
    ];
    use cprng::Error::*;
    assert_eq!(
        errors,
        [KeySize, NonceSize, Size, Checkpoint, Source, Argument, FileType]
    );
    for error in errors {
        let text = error.to_string();
        assert!(!text.is_empty() && text != "unknown error", "{error:?}: {text}");
        assert!(
            texts.insert(text, error).is_none(),
            "{error:?} has the text of another one"
        );
    }
    assert!(cprng::Stream::from_string(cprng::Engine::default(), c"").is_err());
    let mut stream = cprng::Stream::new(1);
    assert_eq!(stream.advance(-1), Err(Range));
    assert_eq!(stream.sample(&mut [0; 3], 2), Err(Argument));
    assert_eq!(stream.fill_normal(&mut [0.0], 0.0, -1.0), Err(Argument));
    assert_eq!(stream.tell(), 0);
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
                "copies_draw_others",
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

/// Catches a handle whose thread properties differ from the documentation, and one whose text shows a key or numbers.
#[test]
fn handles_go_anywhere() {
    fn anywhere<T: Send + Sync + Copy + Default + 'static>(_: T) {}
    anywhere(cprng::Cprng);
    anywhere(cprng::Strong);
    fn moves<T: Send + Clone + 'static>(_: T) {}
    moves(cprng::Stream::new(1));
    assert_eq!(format!("{:?}", cprng::Stream::new(1)), "Stream { offset: 0, .. }");
    let raw = cprng_sys::cprng_stream {
        next: -77,
        buffer: cprng_sys::Aligned([77; cprng_sys::CPRNG_STREAM_BUFFER]),
        opaque: cprng_sys::Aligned([77; 512]),
    };
    assert_eq!(format!("{raw:?}, {:?}", raw.opaque), "cprng_stream { .. }, 512 bytes");
}

/// Catches an order that loses or repeats an element: each is freed once, whatever its size.
#[test]
fn orders_keep_their_elements() {
    for count in [0, 1, 2, 100] {
        let (mut owned, mut wide) = (Vec::new(), Vec::new());
        for i in 0..count {
            owned.push(i.to_string());
            wide.push([u8::try_from(i).unwrap(); 131]);
        }
        let (first, second) = (owned.clone(), wide.clone());
        Cprng.shuffle(&mut owned);
        cprng::Stream::new(3).shuffle(&mut wide);
        assert!(count < 100 || (owned != first && wide != second)); // probability 1 / 100! for the first
        owned.sort_by_key(|text| text.parse::<usize>().unwrap());
        wide.sort();
        assert_eq!((owned, wide), (first, second));
    }
    let mut stream = cprng::Stream::new(3);
    stream.shuffle(&mut [(); 100]);
    assert_eq!(stream.tell(), 0);
}
