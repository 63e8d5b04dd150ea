// SPDX-License-Identifier: BSD-2-Clause
//! Threads, and in unix.rs forks and signals: no output is repeated.  Two of n 64-bit numbers are equal by chance with probability n^2
//! / 2^65, below 10^-7 in each of these tests; a test fails only if two such pairs occur.

use cprng::Cprng;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Mutex;

#[cfg(unix)]
#[path = "process/unix.rs"]
mod unix;

/// The count of repeated numbers, at most one of which may be chance.
fn assert_unique(mut numbers: Vec<u64>) {
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert!(count - numbers.len() <= 1, "{} of {count} numbers came twice", count - numbers.len());
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

/// Catches a length for which bytes are omitted, repeated, or written beyond the end: lengths that the compiler knows,
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

/// Catches an array of bounded integers with another bound, or without one of its values: by chance with probability 2^-126.
#[test]
fn arrays_have_all_integers_of_their_range() {
    let (mut narrow, mut wide, mut range, mut signed) = ([9; 500], [9; 500], [9; 500], [9; 500]);
    Cprng.fill_below(&mut narrow, 6);
    Cprng.fill_below_u64(&mut wide, 6);
    Cprng.fill_range(&mut range, u64::MAX - 5..=u64::MAX);
    Cprng.fill_range_i64(&mut signed, -3..=2);
    assert!(BTreeSet::from(narrow).into_iter().eq(0..6));
    assert!(BTreeSet::from(wide).into_iter().eq(0..6));
    assert!(BTreeSet::from(range).into_iter().eq(u64::MAX - 5..=u64::MAX));
    assert!(BTreeSet::from(signed).into_iter().eq(-3..=2));
}

/// Catches an empty range that gives a number, as in C, where rand panics.
#[test]
#[allow(clippy::reversed_empty_ranges)]
fn empty_ranges_panic() {
    let mut exhausted = 1..=2;
    exhausted.by_ref().for_each(drop);
    let calls: [&dyn Fn(); 11] = [
        &|| _ = Cprng.below(0),
        &|| _ = Cprng.below_u64(0),
        &|| _ = Cprng.range(2..=1),
        &|| _ = Cprng.range(exhausted.clone()),
        &|| _ = Cprng.range_i64(1..=-1),
        &|| _ = Cprng.bernoulli_ratio(0, 0),
        &|| Cprng.fill_below(&mut [0; 2], 0),
        &|| Cprng.fill_below_u64(&mut [0; 2], 0),
        &|| Cprng.fill_range(&mut [], 2..=1),
        &|| Cprng.fill_range_i64(&mut [0; 2], i64::MAX..=i64::MIN),
        &|| _ = cprng::Stream::new(1).below(0),
    ];
    for (i, call) in calls.iter().enumerate() {
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err(), "call {i}");
    }
    let mut stream = cprng::Stream::new(1);
    assert_eq!(stream.fill_range(&mut [], 2..=1), Err(cprng::Error::Argument));
    assert_eq!(stream.fill_below(&mut [], 0), Err(cprng::Error::Argument));
}

/// Catches a choice of draws with another probability, an alphabet whose last symbol is missing, a symbol beyond the text, and UUIDs of
/// another version or out of order: by chance with probability 2^-126.
#[test]
fn choices_of_draws_are_those_asked_for() {
    assert!((0..500).any(|_| Cprng.bernoulli(0.5)) && !(0..500).all(|_| Cprng.bernoulli(0.5)));
    assert!((0..500).all(|_| Cprng.bernoulli_ratio(3, 3) && !Cprng.bernoulli_ratio(0, 3)));
    assert!(!(0..500).all(|_| Cprng.bernoulli_ratio(2, 3)) && (0..500).any(|_| Cprng.bernoulli_ratio(2, 3)));
    let mut table = [cprng::Alias::default(); 5];
    let weights = cprng::Weights::new(&mut table, &[1, 0, 2, 1]).unwrap();
    let chosen: BTreeSet<_> = (0..500).map(|_| Cprng.weighted(&weights)).collect();
    assert!(chosen.into_iter().eq([0, 2, 3]));
    let short = cprng::Weights::new(&mut table[..2], &[1, 2, 3]);
    assert_eq!(short.unwrap_err(), cprng::Error::Argument);
    for length in [0, 1, 500] {
        let mut text = [b'#'; 502];
        Cprng.text(&mut text[1..=length], b"abcdef").unwrap();
        assert!(text[0] == b'#' && text[length + 1..].iter().all(|symbol| *symbol == b'#'));
        assert!(text[1..=length].iter().all(u8::is_ascii_lowercase));
        assert!(length < 500 || BTreeSet::from(text).into_iter().eq(*b"#abcdef"));
        assert_eq!(Cprng.text(&mut text[..length], b""), Err(cprng::Error::Argument));
    }
    let all: Vec<String> = (0..1000).map(|_| Cprng.uuid7().unwrap().to_string()).collect();
    assert!(all.is_sorted_by(|a, b| a < b));
    assert!(all.iter().all(|uuid| &uuid[14..15] == "7" && &uuid[8..9] == "-"));
    assert_eq!(&Cprng.uuid4().to_string()[14..15], "4");
}

/// Catches an error of the C library that has another meaning, or none, in Rust.
#[test]
fn errors_have_the_library_s_texts() {
    let mut texts = HashMap::new();
    let errors = [
        cprng::Stream::keyed(cprng::Engine::ChaCha20, &[0; 31], &[]).unwrap_err(),
        cprng::Stream::keyed(cprng::Engine::ChaCha20, &[0; 32], &[0; 9]).unwrap_err(),
        cprng::Stream::from_bytes(cprng::Engine::default(), &[0; 15]).unwrap_err(),
        cprng::Stream::restore(&[0; 128]).unwrap_err(),
        cprng::add_entropy(128, b"event", 0).unwrap_err(),
        cprng::add_entropy(0, b"event", 41).unwrap_err(),
        cprng::seed_file(c"/").unwrap_err(),
    ];
    use cprng::Error::*;
    assert_eq!(errors, [KeySize, NonceSize, Size, Checkpoint, Source, Argument, FileType]);
    for error in errors {
        let text = error.to_string();
        assert!(!text.is_empty() && text != "unknown error", "{error:?}: {text}");
        assert!(texts.insert(text, error).is_none(), "{error:?} has the text of another one");
    }
    for (seed, error) in [("", Size), ("a\0b", Argument)] {
        assert_eq!(cprng::Stream::from_string(cprng::Engine::default(), seed).unwrap_err(), error);
    }
    assert_eq!("chacha".parse::<cprng::Engine>(), Err(Engine));
    let mut stream = cprng::Stream::new(1);
    assert_eq!(stream.advance(-1), Err(Range));
    assert_eq!(stream.sample_indices(&mut [0; 3], 2), Err(Argument));
    assert_eq!(stream.fill_normal(&mut [0.0], 0.0, -1.0), Err(Argument));
    assert_eq!(stream.tell(), 0);
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
