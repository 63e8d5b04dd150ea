// SPDX-License-Identifier: BSD-2-Clause
//! The generators under rand 0.10 and rand_distr: distributions, ranges, choices and orders.
//!
//! Statistical bounds are eight standard deviations: the probability of a false alarm is below 10^-14.
#![cfg(feature = "rand_core")]

use cprng::{Cprng, Stream, Strong};
use rand::distr::{weighted::WeightedIndex, Alphanumeric, Bernoulli, Distribution, Uniform};
use rand::seq::{IndexedRandom, IteratorRandom, SliceRandom};
use rand::{CryptoRng, Rng, RngExt, SeedableRng, TryCryptoRng};

const COUNT: usize = 20_000;

/// Whether the mean of COUNT numbers is right, within eight standard deviations.
fn mean_is(what: &str, mut next: impl FnMut() -> f64, mean: f64, deviation: f64) {
    let sum: f64 = (0..COUNT).map(|_| next()).sum();
    let off = (sum / COUNT as f64 - mean) / (deviation / (COUNT as f64).sqrt());
    assert!(off.abs() < 8.0, "{what}: the mean is {off} deviations off");
}

fn distributions(rng: &mut impl Rng) {
    mean_is("u32", || f64::from(rng.random::<u32>()) / 2f64.powi(32), 0.5, 0.2887);
    mean_is("u64", || rng.random::<u64>() as f64 / 2f64.powi(64), 0.5, 0.2887);
    mean_is("u128", || rng.random::<u128>() as f64 / 2f64.powi(128), 0.5, 0.2887);
    mean_is("f64", || rng.random::<f64>(), 0.5, 0.2887);
    mean_is("f32", || rng.random::<f32>().into(), 0.5, 0.2887);
    mean_is("bool", || f64::from(u8::from(rng.random::<bool>())), 0.5, 0.5);
    mean_is("range", || rng.random_range(-3i8..=3).into(), 0.0, 2.0);
    mean_is("ratio", || f64::from(u8::from(rng.random_ratio(1, 10))), 0.1, 0.3);
    let uniform = Uniform::new(10.0, 20.0).unwrap();
    mean_is("Uniform", || uniform.sample(rng), 15.0, 2.887);
    let bernoulli = Bernoulli::new(0.75).unwrap();
    mean_is("Bernoulli", || f64::from(u8::from(bernoulli.sample(rng))), 0.75, 0.433);
    let weighted = WeightedIndex::new([1, 2, 1]).unwrap();
    mean_is("WeightedIndex", || weighted.sample(rng) as f64, 1.0, 0.7072);
    let normal = rand_distr::Normal::new(100.0, 15.0).unwrap();
    mean_is("Normal", || normal.sample(rng), 100.0, 15.0);
    let poisson = rand_distr::Poisson::new(4.0).unwrap();
    mean_is("Poisson", || poisson.sample(rng), 4.0, 2.0);
    let exponential = rand_distr::Exp::new(0.5).unwrap();
    mean_is("Exp", || exponential.sample(rng), 2.0, 2.0);
    let gamma = rand_distr::Gamma::new(9.0, 1.0).unwrap();
    mean_is("Gamma", || gamma.sample(rng), 9.0, 3.0);
    let text: String = (0..1000).map(|_| char::from(rng.sample(Alphanumeric))).collect();
    assert!(text.chars().all(|character| character.is_ascii_alphanumeric()));
    let mut order: Vec<u32> = (0..1000).collect();
    order.shuffle(rng);
    assert!(!order.is_sorted()); // probability 1 / 1000!
    assert!(order.choose(rng).is_some() && (0..100).choose(rng).is_some());
    assert_eq!(order.sample(rng, 10).count(), 10);
    order.sort_unstable();
    assert!(order.into_iter().eq(0..1000));
}

/// Catches output that is not uniform as rand uses it: swapped or repeated halves, constant bits.
#[test]
fn distributions_of_rand() {
    distributions(&mut Cprng);
    distributions(&mut Strong);
    distributions(&mut Stream::new(1));
}

/// Catches a method of a known type that hides rand's method of the same name.
#[test]
fn methods_of_rand_on_the_types() {
    fn check(mut sampled: impl FnMut() -> u8, mut filled: impl FnMut(&mut [i16; 300])) {
        assert!((0..1000).all(|_| sampled().is_ascii_alphanumeric()));
        let mut numbers = [0; 300];
        filled(&mut numbers);
        assert!(numbers[0..150] != [0; 150] && numbers[150..] != [0; 150]);
    }
    check(|| Cprng.sample(Alphanumeric), |numbers| Cprng.fill(numbers));
    check(|| Strong.sample(Alphanumeric), |numbers| Strong.fill(numbers));
    let (mut one, mut other) = (Stream::new(5), Stream::new(6));
    check(|| one.sample(Alphanumeric), |numbers| other.fill(numbers));
}

/// Each byte of each size, in every position.
fn all_bytes_are_written(rng: &mut impl Rng) {
    for size in [0, 1, 3, 4, 7, 8, 15, 31, 32, 33, 511, 512, 513, 1000, 5000] {
        // An unwritten byte stays the same in all of 20 tries; a written one does with probability 2^-160.
        let (mut low, mut high) = (vec![0xffu8; size], vec![0u8; size]);
        for _ in 0..20 {
            let mut bytes = vec![0u8; size + 2];
            rng.fill_bytes(&mut bytes[1..=size]);
            assert_eq!((bytes[0], bytes[size + 1]), (0, 0), "written outside of {size} bytes");
            for (i, byte) in bytes[1..=size].iter().enumerate() {
                low[i] &= byte;
                high[i] |= byte;
            }
        }
        assert!(low.iter().zip(&high).all(|(low, high)| low != high), "a byte of {size} was not written");
    }
}

/// Catches a fill that leaves bytes unwritten, or writes beyond the end.
#[test]
fn fills_write_all_bytes() {
    all_bytes_are_written(&mut Cprng);
    all_bytes_are_written(&mut Strong);
    all_bytes_are_written(&mut Stream::new(2));
}

/// Catches a missing trait: then the functions do not compile.
#[test]
fn traits_are_those_that_are_true() {
    fn secret(_: &mut impl CryptoRng) {}
    fn fallible(rng: &mut impl TryCryptoRng) -> bool {
        rng.try_next_u64().is_ok()
    }
    secret(&mut Cprng);
    secret(&mut Strong);
    assert!(fallible(&mut Cprng) && fallible(&mut Strong));
    let object: &mut dyn CryptoRng = &mut Cprng;
    object.next_u32();
    // rand's own generators can be seeded from it.
    let mut seeded = rand::rngs::StdRng::from_rng(&mut Cprng);
    assert_ne!(seeded.next_u64(), seeded.next_u64());
    let forked = Stream::try_from_rng(&mut Cprng).unwrap();
    assert_eq!(forked.tell(), 0);
}

/// Catches a seed that has another meaning under rand.
#[test]
fn seeds_of_rand_are_the_library_s() {
    assert_eq!(Stream::seed_from_u64(42).save(), Stream::new(42).save());
    let seed: [u8; 32] = std::array::from_fn(|i| i as u8);
    assert_eq!(Stream::from_seed(seed).save(), Stream::from_bytes(cprng::Engine::default(), &seed).unwrap().save());
    let mut parent = Stream::new(7);
    let mut bytes = [0; 32];
    parent.clone().fill_bytes(&mut bytes);
    assert_eq!(parent.fork().save(), Stream::from_seed(bytes).save());
}

/// Catches skipped or repeated words when they are mixed with double words and bytes, especially at a block's end: the
/// requirements of rand_core's own tests (tests/block.rs) for a block generator.
#[test]
fn words_are_taken_in_order() {
    for skipped in (0..64).chain(960..1100) {
        let mut fresh = Stream::new(3);
        fresh.seek(skipped).unwrap();
        let bytes = |calls: &str| {
            let mut rng = fresh.clone();
            let mut all = Vec::new();
            for call in calls.chars() {
                match call {
                    '4' => all.extend(rng.next_u32().to_le_bytes()),
                    '8' => all.extend(rng.next_u64().to_le_bytes()),
                    '1' => {
                        let mut one = [0];
                        rng.fill_bytes(&mut one);
                        all.extend(one);
                    }
                    _ => rng.fill_bytes({
                        all.extend([0; 16]);
                        let end = all.len();
                        &mut all[end - 16..]
                    }),
                }
            }
            all
        };
        let stated = bytes("f");
        for calls in ["484", "448", "844", "88", "4444", "11484111", "18411111"] {
            let made = bytes(calls);
            assert_eq!(made[..16.min(made.len())], stated[..16.min(made.len())], "{calls} from {skipped} on");
        }
    }
}

/// Catches rand_core's block wrapper returning other numbers than its stream.
#[test]
fn blocks_of_rand_core() {
    struct Blocks(Stream);
    impl rand_core::block::Generator for Blocks {
        type Output = [u32; 16];
        fn generate(&mut self, output: &mut [u32; 16]) {
            self.0.fill_u32(output).unwrap();
        }
    }
    let mut blocks = rand_core::block::BlockRng::new(Blocks(Stream::new(4)));
    let mut stream = Stream::new(4);
    for round in 0..100 {
        assert_eq!(blocks.next_word(), stream.next_u32(), "round {round}");
        assert_eq!(blocks.next_u64_from_u32(), stream.next_u64(), "round {round}");
        let (mut one, mut other) = ([0; 20], [0; 20]);
        blocks.fill_bytes(&mut one);
        stream.fill_bytes(&mut other);
        assert_eq!(one, other, "round {round}");
    }
}
