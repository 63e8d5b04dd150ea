// SPDX-License-Identifier: BSD-2-Clause
//! The traits of serde: a stream as its checkpoint, in hexadecimal digits where the format is text.

use crate::{Checkpoint, Stream};
use core::fmt;
use serde_core::de::{Error, Unexpected, Visitor};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

impl Serialize for Stream {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let checkpoint = self.save();
        if !serializer.is_human_readable() {
            return serializer.serialize_bytes(&checkpoint);
        }
        let digits: [[u8; 2]; size_of::<Checkpoint>()] =
            checkpoint.map(|byte| [byte >> 4, byte & 15].map(|digit| b"0123456789abcdef"[usize::from(digit)]));
        serializer.serialize_str(core::str::from_utf8(digits.as_flattened()).unwrap_or_default())
    }
}

struct Digits;

impl Visitor<'_> for Digits {
    type Value = Stream;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a checkpoint of a stream")
    }

    // The error shows no key.
    fn visit_bytes<E: Error>(self, checkpoint: &[u8]) -> Result<Stream, E> {
        Stream::restore(checkpoint).map_err(|_| E::invalid_value(Unexpected::Other("something else"), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Stream, E> {
        let mut checkpoint: Checkpoint = [0; size_of::<Checkpoint>()];
        let digit = |digit: u8| char::from(digit).to_digit(16).filter(|_| !digit.is_ascii_uppercase());
        if text.len() != 2 * checkpoint.len() {
            return self.visit_bytes(&[]);
        }
        for (byte, digits) in checkpoint.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
            let (Some(high), Some(low)) = (digit(digits[0]), digit(digits[1])) else { return self.visit_bytes(&[]) };
            *byte = (high << 4 | low) as u8;
        }
        self.visit_bytes(&checkpoint)
    }
}

impl<'de> Deserialize<'de> for Stream {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Digits)
        } else {
            deserializer.deserialize_bytes(Digits)
        }
    }
}
