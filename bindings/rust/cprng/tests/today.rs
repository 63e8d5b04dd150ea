// SPDX-License-Identifier: BSD-2-Clause
//! The first table of docs/rust.md: each row's two calls as the page has them, and what its third column says.
#![cfg(feature = "rand_core")]

use cprng::{Alias, Cprng, Error, Stream, Strong, Weights};
use rand::distr::weighted::WeightedIndex;
use rand::distr::{Alphanumeric, SampleString};
use rand::rngs::{StdRng, SysRng};
use rand::seq::{index, IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng, TryRng};
use rand_distr::{Distribution, Exp, Normal};
use std::panic::{catch_unwind, AssertUnwindSafe};
use uuid::Uuid;

fn panics<T>(call: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(call)).is_err()
}

/// A row's two expressions as text, and a function that runs both.
macro_rules! rows {
    ($([$($setup:stmt);*] $today:expr => $here:expr, |$a:pat_param, $b:pat_param| $check:expr;)*) => {
        [$((stringify!($today), stringify!($here), {
            fn row() {
                $($setup)*
                let ($a, $b) = ($today, $here);
                $check
            }
            row as fn()
        })),*]
    };
}

/// Catches a row of the page without a test, a test without a row, a call that does not compile, and a difference that is not there.
#[test]
#[allow(clippy::reversed_empty_ranges, clippy::unit_arg, let_underscore_drop)]
fn rows_of_the_page() {
    let rows = rows! {
        [let (mut bytes, mut other) = ([0; 32], [0; 32])] getrandom::fill(&mut bytes) => cprng::fill(&mut other), |a, ()| {
            assert!(a.is_ok() && bytes != other && other != [0; 32]);
        };
        [] SysRng.try_next_u64() => Strong.bytes::<8>(), |a, b| assert_ne!(a.unwrap().to_le_bytes(), b);
        [] rand::rng() => Cprng, |_, b| {
            fn anywhere<T: Copy + Send + Sync + rand::CryptoRng>(_: T) {}
            anywhere(b);
        };
        [] rand::random::<u64>() => Cprng.u64(), |a, b| assert_ne!(a, b);
        [let mut rng = rand::rng()] rng.random::<f64>() => Cprng.f64(), |a, b| {
            assert!([a, b].iter().all(|x| (0.0..1.0).contains(x) && (x * 2f64.powi(53)).fract() == 0.0));
        };
        [let mut rng = rand::rng()] rng.random_range(1..=6) => Cprng.range(1..=6), |a, b| {
            assert!((1..=6).contains(&a) && (1..=6).contains(&b) && (-1..=0).contains(&Cprng.range_i64(-1..=0)));
            assert!(panics(|| rng.random_range(2..=1)) && panics(|| Cprng.range(2..=1)) && panics(|| Cprng.range_i64(2..=1)));
        };
        [let mut rng = rand::rng(); let n = 6] rng.random_range(..n) => Cprng.below(n), |a, b| {
            assert!(a < 6 && b < 6 && Cprng.below_u64(u64::MAX) < u64::MAX);
            assert!(panics(|| rng.random_range(..0u32)) && panics(|| Cprng.below(0)));
        };
        [let mut rng = rand::rng()] rng.random_bool(0.25) => Cprng.bernoulli(0.25), |_, _| {
            assert!(panics(|| rng.random_bool(1.5)) && panics(|| rng.random_bool(-1.0)));
            assert!(Cprng.bernoulli(1.5) && !Cprng.bernoulli(-1.0) && !Cprng.bernoulli(f64::NAN));
        };
        [let mut rng = rand::rng()] rng.random_ratio(1, 3) => Cprng.bernoulli_ratio(1, 3), |_, _| {
            assert!(panics(|| rng.random_ratio(1, 0)) && panics(|| Cprng.bernoulli_ratio(1, 0)));
            assert!(panics(|| rng.random_ratio(3, 2)) && Cprng.bernoulli_ratio(3, 2));
        };
        [let mut rng = rand::rng(); let (mut v, mut w) = ([0u64; 9], [0; 9])] rng.fill(&mut v) => Cprng.fill_u64(&mut w), |(), ()| {
            assert!(v != w && w != [0; 9]);
        };
        [let mut rng = rand::rng(); let (mut v, mut w) = ([0, 1, 2, 3], [0, 1, 2, 3])] v.shuffle(&mut rng) => Cprng.shuffle(&mut w), |(), ()| {
            v.sort();
            w.sort();
            assert_eq!(v, w);
        };
        [let mut rng = rand::rng(); let v = [7, 8]] v.choose(&mut rng) => v.choose(&mut Cprng), |a, b| {
            assert!(a.is_some() && b.is_some() && v[..0].choose(&mut Cprng).is_none());
        };
        [let mut rng = rand::rng(); let mut out = [0; 3]] index::sample(&mut rng, 9, 3) => Cprng.sample_indices(&mut out, 9), |a, b| {
            assert!(a.len() == 3 && b.is_ok() && out[0] != out[1] && out[1] != out[2] && out[0] != out[2]);
            assert!(panics(|| index::sample(&mut rng, 2, 3)) && Cprng.sample_indices(&mut out, 2) == Err(Error::Argument));
        };
        [let mut table = [Alias::default(); 2]] WeightedIndex::new([1u64, 3]) => Weights::new(&mut table, &[1, 3]), |a, b| {
            assert!(a.unwrap().sample(&mut Cprng) < 2 && Cprng.weighted(&b.unwrap()) < 2);
            assert!(WeightedIndex::new([0u64]).is_err());
            assert_eq!(Weights::new(&mut table, &[0]).unwrap_err(), Error::Argument);
        };
        [let mut rng = rand::rng(); let mut out = [0; 21]] Alphanumeric.sample_string(&mut rng, 21) => Cprng.text(&mut out, b"0123456789"), |a, b| {
            assert!(a.len() == 21 && b.is_ok() && out.iter().all(u8::is_ascii_digit));
            assert_eq!([Cprng.text(&mut out, b""), Cprng.text(&mut out, &[b'a'; 257])], [Err(Error::Argument); 2]);
        };
        [let (mu, sigma) = (170.0, 10.0)] Normal::new(mu, sigma) => Cprng.normal(mu, sigma), |a, b| {
            assert!((b - a.unwrap().sample(&mut Cprng)).abs() < 200.0);
            assert!(Normal::new(mu, f64::NAN).is_err() && Cprng.normal(mu, f64::NAN).is_nan());
            assert!(Normal::new(mu, -1.0).is_ok() && Cprng.normal(mu, -1.0).is_nan());
        };
        [let lambda = 2.0] Exp::new(lambda) => Cprng.exponential(1.0 / lambda), |a, b| {
            assert!(a.unwrap().sample(&mut Cprng) >= 0.0 && b > 0.0);
            assert!(Exp::new(-1.0).is_err() && Cprng.exponential(-1.0).is_nan());
        };
        [] StdRng::seed_from_u64(42) => Stream::new(42), |_, mut b| {
            assert_eq!(b.u64(), Stream::seed_from_u64(42).random::<u64>());
            b.seek(u64::MAX).unwrap();
            assert!(panics(|| b.u8()));
        };
        [] Uuid::new_v4() => Cprng.uuid4(), |a, b| {
            assert_eq!([a, Uuid::from_bytes(b.0)].map(|uuid| uuid.get_version_num()), [4, 4]);
            assert_eq!(b.to_string(), Uuid::from_bytes(b.0).to_string());
        };
        [] Uuid::now_v7() => Cprng.uuid7(), |a, b| {
            assert_eq!([a, Uuid::from_bytes(b.unwrap().0)].map(|uuid| uuid.get_version_num()), [7, 7]);
            assert!(Cprng.uuid7().unwrap() < Cprng.uuid7().unwrap());
        };
    };
    let page = include_str!("../../../../docs/rust.md");
    let table = page.split_once("| what you use today | the call here | what differs |\n|---|---|---|\n").unwrap().1;
    let squeezed = |text: &str| text.replace([' ', '\n', '`'], "");
    let stated: Vec<_> = table.lines().take_while(|line| line.starts_with('|')).map(squeezed).collect();
    let run: Vec<_> = rows.iter().map(|(today, here, _)| squeezed(&format!("| {today} | {here} |"))).collect();
    assert_eq!(stated.len(), run.len());
    for ((row, calls), (_, _, check)) in stated.iter().zip(run).zip(rows) {
        assert!(row.starts_with(&calls) && row.len() > calls.len() + 1, "{row} is not {calls}");
        println!("{calls}");
        check();
    }
}
