// SPDX-License-Identifier: BSD-2-Clause
//! Streams bit by bit: the project's tests/vectors/numbers.json, which all languages read.

use cprng::{Alias, Engine, Error, Stream, Weights};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::panic::{catch_unwind, AssertUnwindSafe};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/vectors/numbers.json");

fn vectors() -> Value {
    serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number<T: std::str::FromStr>(value: &Value) -> T
where
    T::Err: std::fmt::Debug,
{
    text(value).parse().unwrap()
}

/// "-0x1.8p-3", as in C and Python.
fn real(value: &Value) -> f64 {
    let (sign, digits) = match text(value).strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text(value)),
    };
    let (mantissa, exponent) = digits.strip_prefix("0x").unwrap().split_once('p').unwrap();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let scaled = u64::from_str_radix(&format!("{whole}{fraction}"), 16).unwrap() as f64;
    let exponent = exponent.parse::<i32>().unwrap() - 4 * fraction.len() as i32;
    // In two steps: the power itself may not be a normal number.
    sign * scaled * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

fn open(row: &Value) -> Stream {
    let engine: Engine = number(&row["engine"]);
    assert_eq!(engine.to_string(), text(&row["engine"]));
    let mut stream = if !row["integer"].is_null() {
        Stream::from_integer(engine, number::<i128>(&row["integer"])).unwrap()
    } else if !row["string"].is_null() {
        Stream::from_string(engine, text(&row["string"])).unwrap()
    } else if !row["bytes"].is_null() {
        Stream::from_bytes(engine, &unhex(text(&row["bytes"]))).unwrap()
    } else {
        Stream::restore(&unhex(text(&row["checkpoint"]))).unwrap()
    };
    for index in row["path"].as_array().unwrap() {
        stream = stream.child(number(index)).unwrap();
    }
    stream
}

fn strings<T: ToString>(values: &[T]) -> Value {
    values.iter().map(T::to_string).collect()
}

fn digest(bytes: impl Iterator<Item = u8>) -> Value {
    hex(&Sha256::digest(bytes.collect::<Vec<u8>>())).into()
}

/// The result of a step, or "refused" at the end of a stream and for wrong arguments.
fn result(error: Result<(), Error>, made: Value) -> Value {
    match error {
        Ok(()) => made,
        Err(Error::Range | Error::Argument) => "refused".into(),
        Err(error) => panic!("{error}"),
    }
}

fn reals(fill: impl FnOnce(&mut [f64]) -> Result<(), Error>, count: &Value) -> Value {
    let mut values = vec![0.0; count.as_u64().unwrap() as usize];
    let filled = fill(&mut values);
    result(filled, digest(values.iter().flat_map(|value| value.to_le_bytes())))
}

fn uuid(made: Result<cprng::Uuid, Error>) -> Value {
    result(made.map(|_| ()), made.map_or("".into(), |uuid| uuid.to_string()).into())
}

/// The step with C's meaning of an empty range, which is an error in Rust: 0 below 0, and a reversed range in order.
fn in_order(step: &[Value]) -> Option<Vec<Value>> {
    let mut other = step.to_vec();
    match text(&step[0]) {
        "uniform32" | "uniform64" if step[1] == "0" => other[1] = "1".into(),
        "bernoulli_ratio" if step[2] == "0" => other[2] = "1".into(),
        "range64" | "int_range" if number::<i128>(&step[1]) > number(&step[2]) => other.swap(1, 2),
        _ => return None,
    }
    Some(other)
}

/// The crate's result of a step, as the vectors' file writes it; a panic is "refused".
fn perform(stream: &mut Stream, step: &[Value]) -> Value {
    let offset = stream.tell();
    let done = catch_unwind(AssertUnwindSafe(|| call(stream, step))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().map_or_else(|| *panic.downcast_ref().unwrap(), String::as_str);
        assert!(message.starts_with("cprng: "), "{step:?}: {message}");
        "refused".into()
    });
    if done == "refused" {
        assert_eq!(stream.tell(), offset, "{step:?}");
    }
    match in_order(step) {
        None => done,
        Some(other) => {
            assert_eq!(done, "refused", "{step:?}");
            perform(stream, &other)
        }
    }
}

fn call(stream: &mut Stream, step: &[Value]) -> Value {
    match text(&step[0]) {
        "read" => {
            let mut bytes = vec![0; step[1].as_u64().unwrap() as usize];
            result(stream.read(&mut bytes), hex(&bytes).into())
        }
        "seek" => result(stream.seek(number(&step[1])), step[1].clone()),
        "u8" => stream.u8().to_string().into(),
        "u16" => stream.u16().to_string().into(),
        "u32" => stream.u32().to_string().into(),
        "u64" => stream.u64().to_string().into(),
        "bool" => u8::from(stream.bool()).to_string().into(),
        "uniform32" => stream.below(number(&step[1])).to_string().into(),
        "uniform64" => stream.below_u64(number(&step[1])).to_string().into(),
        "range64" => stream.range(number(&step[1])..=number(&step[2])).to_string().into(),
        "int_range" => stream.range_i64(number(&step[1])..=number(&step[2])).to_string().into(),
        "shuffle" => {
            let mut order: Vec<u16> = (0..number(&step[1])).collect();
            stream.shuffle(&mut order);
            strings(&order)
        }
        "sample" => {
            let mut chosen = vec![0; number(&step[1])];
            result(stream.sample_indices(&mut chosen, number(&step[2])), strings(&chosen))
        }
        "floats" => {
            let mut values = vec![0.0; step[1].as_u64().unwrap() as usize];
            let filled = stream.fill_f32(&mut values);
            result(filled, digest(values.iter().flat_map(|value| value.to_le_bytes())))
        }
        "doubles" => reals(|values| stream.fill_f64(values), &step[1]),
        "normals" => reals(|values| stream.fill_normal(values, 0.0, 1.0), &step[1]),
        "exponentials" => reals(|values| stream.fill_exponential(values, 1.0), &step[1]),
        "bernoulli" => u8::from(stream.bernoulli(real(&step[1]))).to_string().into(),
        "bernoulli_ratio" => u8::from(stream.bernoulli_ratio(number(&step[1]), number(&step[2]))).to_string().into(),
        "weighted" => {
            let weights: Vec<u64> = step[1].as_array().unwrap().iter().map(number).collect();
            let mut table = vec![Alias::default(); weights.len()];
            let Ok(weights) = Weights::new(&mut table, &weights) else {
                return "refused".into();
            };
            let choices: Vec<usize> = (0..step[2].as_u64().unwrap()).map(|_| stream.weighted(&weights)).collect();
            strings(&choices)
        }
        "text" => {
            let mut made = vec![0; step[1].as_u64().unwrap() as usize];
            let error = stream.text(&mut made, &unhex(text(&step[2])));
            result(error, hex(&made).into())
        }
        "uuid4" => uuid(stream.uuid4()),
        "uuid7" => uuid(stream.uuid7(number(&step[1]))),
        "checkpoint" => hex(&stream.save()).into(),
        "tell" => stream.tell().to_string().into(),
        // The file has floating-point numbers in hexadecimal form; they are compared as numbers.
        what => {
            let value = match what {
                "float" => f64::from(stream.f32()),
                "double" => stream.f64(),
                "normal" => stream.normal(real(&step[1]), real(&step[2])),
                "exponential" => stream.exponential(real(&step[1])),
                _ => panic!("no step {what}"),
            };
            let stated = step.last().unwrap();
            if value.to_bits() == real(stated).to_bits() {
                stated.clone()
            } else {
                format!("{value:e}").into()
            }
        }
    }
}

/// Catches a seed, child or checkpoint that differs from the model.
#[test]
fn seeds_and_children_have_the_stated_keys() {
    let vectors = vectors();
    let rows = vectors["seeds"].as_array().unwrap();
    assert_eq!(rows.len(), 70);
    for row in rows {
        let checkpoint = hex(&open(row).save());
        assert_eq!(checkpoint, text(&row["checkpoint"]), "{row}");
        let again = Stream::restore(&unhex(&checkpoint)).unwrap();
        assert_eq!(hex(&again.save()), checkpoint);
    }
}

fn compare(kind: &str) -> usize {
    let mut steps = 0;
    for row in vectors()[kind].as_array().unwrap() {
        let mut stream = open(row);
        for (i, step) in row["steps"].as_array().unwrap().iter().enumerate() {
            let step = step.as_array().unwrap();
            assert_eq!(&perform(&mut stream, step), step.last().unwrap(), "{}, step {i}: {step:?}", row["engine"]);
            steps += 1;
        }
    }
    steps
}

/// Catches a number made from other bytes or in another way than the specification says.
#[test]
fn sequences_are_the_stated_ones() {
    assert_eq!(compare("sequences"), 1697);
}

/// Catches a choice or UUID that is made from other bytes or in another way than the specification says, and at a stream's end as below.
#[test]
fn choices_are_the_stated_ones() {
    assert_eq!(compare("choices"), 953);
}

/// Catches a request at a stream's end that ends the process, moves the offset or continues.
#[test]
fn ends_are_the_stated_ones() {
    assert_eq!(compare("ends"), 503);
}

/// The result of a step of a bounded integer by an array of one, which reports the end of a stream; None for other steps.
fn array_of_one(stream: &mut Stream, step: &[Value]) -> Option<Value> {
    let (mut narrow, mut wide, mut signed) = ([0], [0], [0]);
    let (filled, made) = match text(&step[0]) {
        "uniform32" => (stream.fill_below(&mut narrow, number(&step[1])), strings(&narrow)),
        "uniform64" => (stream.fill_below_u64(&mut wide, number(&step[1])), strings(&wide)),
        "range64" => (stream.fill_range(&mut wide, number(&step[1])..=number(&step[2])), strings(&wide)),
        "int_range" => (stream.fill_range_i64(&mut signed, number(&step[1])..=number(&step[2])), strings(&signed)),
        _ => return None,
    };
    Some(result(filled, made[0].clone()))
}

/// Catches an array of bounded integers that differs from the stated numbers, or that moves the offset of a stream at its end.
#[test]
fn arrays_have_the_stated_integers() {
    let (mut seen, mut refused) = (0, 0);
    for row in ["sequences", "ends"].iter().flat_map(|kind| vectors()[kind].as_array().unwrap().clone()) {
        let mut stream = open(&row);
        for step in row["steps"].as_array().unwrap() {
            let step = step.as_array().unwrap();
            let mut copy = stream.clone();
            perform(&mut stream, step);
            if let Some(mut made) = array_of_one(&mut copy, step) {
                if let Some(other) = in_order(step) {
                    assert_eq!(made, "refused", "{step:?}");
                    made = array_of_one(&mut copy, &other).unwrap();
                }
                assert_eq!(&made, step.last().unwrap(), "{}: {step:?}", row["engine"]);
                assert_eq!(copy.tell(), stream.tell(), "{}: {step:?}", row["engine"]);
                seen += 1;
                refused += usize::from(made == "refused");
            }
        }
    }
    assert!(seen > 300 && refused > 20, "{seen} steps, {refused} of them refused");
}

/// Catches an array of bounded integers that differs from single calls.
#[test]
fn arrays_have_the_numbers_of_single_calls() {
    for bound in [1, 6, 1000, 0x8000_0001, u64::from(u32::MAX), 1 << 32, 1 << 63 | 1, u64::MAX] {
        for count in [0, 1, 7, 256, 3001] {
            let mut arrays = Stream::new(bound);
            let (below, lo, hi) = ((bound as u32).max(1), (bound as i64).min(-5), (bound as i64).max(-5));
            let (mut narrow, mut wide) = (vec![0; count], vec![0; count]);
            let (mut range, mut signed) = (vec![0; count], vec![0; count]);
            arrays.fill_below(&mut narrow, below).unwrap();
            arrays.fill_below_u64(&mut wide, bound).unwrap();
            arrays.fill_range(&mut range, bound.min(5)..=bound).unwrap();
            arrays.fill_range_i64(&mut signed, lo..=hi).unwrap();
            let mut singles = Stream::new(bound);
            assert!(narrow.into_iter().all(|number| number == singles.below(below)));
            assert!(wide.into_iter().all(|number| number == singles.below_u64(bound)));
            assert!(range.into_iter().all(|number| number == singles.range(bound.min(5)..=bound)));
            assert!(signed.into_iter().all(|number| number == singles.range_i64(lo..=hi)));
            assert_eq!(arrays.tell(), singles.tell(), "{count} below {bound}");
        }
    }
}

/// Catches a stream that continues otherwise after serde, text or error that shows a key, and other text that is taken.
#[cfg(feature = "serde")]
#[test]
fn serde_keeps_checkpoints() {
    let mut stream = Stream::new(42);
    stream.seek(1001).unwrap();
    let text = serde_json::to_string(&stream).unwrap();
    assert_eq!(text, format!("\"{}\"", hex(&stream.save())));
    let mut bytes = rmp_serde::to_vec(&stream).unwrap();
    assert!(bytes.ends_with(&stream.save()));
    let next = stream.clone().u64();
    assert_eq!(serde_json::from_str::<Stream>(&text).unwrap().u64(), next);
    assert_eq!(rmp_serde::from_slice::<Stream>(&bytes).unwrap().u64(), next);
    bytes[100] ^= 1;
    assert!(rmp_serde::from_slice::<Stream>(&bytes).is_err());
    let others =
        [text.replacen(&text[200..202], "é", 1), text.to_uppercase(), text.replace('"', "\"0"), "\"\"".into(), "[1]".into()];
    for other in others.iter().chain([&text.replacen(&text[9..10], "+", 1)]) {
        let error = serde_json::from_str::<Stream>(other).unwrap_err().to_string();
        assert!(error.contains("a checkpoint of a stream") && !error.contains(&text[20..30]), "{other}: {error}");
    }
}

/// Catches a comparison that considers any two numbers equal.
#[test]
fn a_wrong_vector_is_noticed() {
    let mut stream = Stream::new(42);
    let step = [Value::from("double"), Value::from("0x1.0p-1")];
    assert_ne!(&perform(&mut stream, &step), &step[1]);
    assert_eq!(real(&"-0x1.8p-3".into()), -0.1875);
}
