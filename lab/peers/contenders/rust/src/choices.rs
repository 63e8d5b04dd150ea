// SPDX-License-Identifier: BSD-2-Clause
//! Rust's choices for cprng-lab choices; lab/peers/choices/choices.hpp has the requests.
//!
//!     cprng-lab-rust-choices thread|chacha8|aes|uuid
//!
//! A program of its own: a second caller of rand's functions would change what the compiler inlines in the first one.

mod clock;

use clock::cpu_seconds;
use rand::distr::{Alphanumeric, Bernoulli, Distribution, SampleString, StandardUniform, Uniform};
use rand::rngs::ChaCha8Rng;
use rand::seq::{index, SliceRandom};
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::weighted::WeightedAliasIndex;
use rand_distr::{Exp1, StandardNormal};
use std::io::BufRead;
use uuid::Uuid;

/// What an array's elements count as.
trait Value: Clone {
    fn value(&self) -> f64;
}

impl Value for u32 {
    fn value(&self) -> f64 {
        (*self).into()
    }
}

impl Value for u64 {
    fn value(&self) -> f64 {
        *self as f64
    }
}

impl Value for usize {
    fn value(&self) -> f64 {
        *self as f64
    }
}

impl Value for f64 {
    fn value(&self) -> f64 {
        *self
    }
}

impl Value for bool {
    fn value(&self) -> f64 {
        (*self).into()
    }
}

impl Value for String {
    fn value(&self) -> f64 {
        u64::from_be_bytes(self.as_bytes()[..8].try_into().unwrap()) as f64
    }
}

impl Value for Uuid {
    fn value(&self) -> f64 {
        self.as_u64_pair().1 as f64
    }
}

impl Value for [u64; 3] {
    fn value(&self) -> f64 {
        self[0] as f64
    }
}

impl<const SIZE: usize> Value for [u8; SIZE] {
    fn value(&self) -> f64 {
        u64::from_ne_bytes(self[..8].try_into().unwrap()) as f64
    }
}

/// Times the work on the array, and describes what it leaves.
fn measured<T: Value>(
    mut array: Vec<T>,
    seconds: f64,
    mut work: impl FnMut(&mut Vec<T>),
) -> String {
    work(&mut array);
    let mut count = 1;
    let took = loop {
        let begin = cpu_seconds();
        for _ in 0..count {
            work(std::hint::black_box(&mut array));
        }
        let took = cpu_seconds() - begin;
        if took >= seconds / 2.0 {
            break took / count as f64;
        }
        count *= 2;
    };
    let mut values: Vec<f64> = array.iter().map(|element| element.value()).collect();
    let moved = (0..)
        .zip(&values)
        .filter(|&(i, &value)| value != i as f64)
        .count();
    values.sort_unstable_by(f64::total_cmp);
    let (least, most) = (values[0], values[values.len() - 1]);
    values.dedup();
    let ns = took / array.len() as f64 * 1e9;
    format!("{ns} {least} {most} {} {moved}", values.len())
}

fn filled<D: Distribution<T>, T: Value>(
    rng: &mut impl Rng,
    zero: T,
    count: usize,
    seconds: f64,
    distribution: D,
) -> String {
    measured(vec![zero; count], seconds, |out| {
        out.iter_mut()
            .zip((&mut *rng).sample_iter(&distribution))
            .for_each(|(to, number)| *to = number)
    })
}

fn reads<const SIZE: usize>(rng: &mut impl Rng, count: usize, seconds: f64) -> String {
    measured(vec![[0; SIZE]; count], seconds, |out| {
        for one in out.iter_mut() {
            rng.fill_bytes(std::hint::black_box(one));
        }
    })
}

fn answer(rng: &mut impl Rng, kind: &str, of: usize, count: usize, seconds: f64) -> String {
    match (kind, of) {
        ("shuffle", 4) => measured((0..count as u32).collect(), seconds, |array| {
            array.shuffle(rng)
        }),
        ("shuffle", 8) => measured((0..count as u64).collect(), seconds, |array| {
            array.shuffle(rng)
        }),
        ("shuffle", 24) => measured(
            (0..count as u64).map(|i| [i, 0, 0]).collect(),
            seconds,
            |array| array.shuffle(rng),
        ),
        ("sample", _) => measured(vec![0; count], seconds, |out| {
            *out = index::sample(rng, of, count).into_vec()
        }),
        ("bounded", _) => filled(rng, 0, count, seconds, Uniform::new(0, of as u32).unwrap()),
        ("double", _) => filled(rng, 0.0, count, seconds, StandardUniform),
        ("normal", _) => filled(rng, 0.0, count, seconds, StandardNormal),
        ("exponential", _) => filled(rng, 0.0, count, seconds, Exp1),
        ("bernoulli", _) => filled(rng, false, count, seconds, Bernoulli::new(0.3).unwrap()),
        ("weighted", _) => {
            let weights = (1..=of as u64).collect();
            filled(
                rng,
                0,
                count,
                seconds,
                WeightedAliasIndex::new(weights).unwrap(),
            )
        }
        ("text", _) => measured(vec![String::new(); count], seconds, |out| {
            out.iter_mut()
                .for_each(|one| *one = Alphanumeric.sample_string(rng, of))
        }),
        ("read", 8) => reads::<8>(rng, count, seconds),
        ("read", 16) => reads::<16>(rng, count, seconds),
        ("read", 32) => reads::<32>(rng, count, seconds),
        ("read", 64) => reads::<64>(rng, count, seconds),
        ("read", 128) => reads::<128>(rng, count, seconds),
        ("read", 256) => reads::<256>(rng, count, seconds),
        _ => "-".into(),
    }
}

fn identified(kind: &str, count: usize, seconds: f64) -> String {
    let one = match kind {
        "uuid4" => Uuid::new_v4,
        "uuid7" => Uuid::now_v7,
        _ => return "-".into(),
    };
    measured(vec![Uuid::nil(); count], seconds, |out| out.fill_with(one))
}

/// Answers requests by a function of kind, number, count and seconds.
fn serve(version: &str, mut answer: impl FnMut(&str, usize, usize, f64) -> String) {
    println!("{version}");
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let [kind, of, count, seconds] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("a request makes no sense: {line}");
        };
        let (of, count, seconds) = (
            of.parse().unwrap(),
            count.parse().unwrap(),
            seconds.parse().unwrap(),
        );
        println!("{}", answer(kind, of, count, seconds));
    }
}

fn serve_by(mut rng: impl Rng, version: &str) {
    serve(version, |kind, of, count, seconds| {
        answer(&mut rng, kind, of, count, seconds)
    })
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("thread") => serve_by(rand::rng(), "rand 0.10, rand_distr 0.6"),
        Some("chacha8") => serve_by(
            ChaCha8Rng::from_rng(&mut rand::rng()),
            "rand 0.10, rand_distr 0.6",
        ),
        #[cfg(feature = "aes")]
        Some("aes") => serve_by(
            rand_aes::Aes128Ctr64::from_rng(&mut rand::rng()),
            "rand_aes 0.7",
        ),
        Some("uuid") => serve("uuid 1", |kind, _, count, seconds| {
            identified(kind, count, seconds)
        }),
        _ => println!(),
    }
}
