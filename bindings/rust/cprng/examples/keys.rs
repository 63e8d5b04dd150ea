// SPDX-License-Identifier: BSD-2-Clause
//! Keys, bounded numbers, and a long-lived key: `cargo run --example keys`.

use cprng::{Cprng, Strong};

fn main() {
    let session: [u8; 32] = cprng::bytes();
    let master: [u8; 32] = Strong.bytes(); // Fortuna: entropy from more sources than the kernel
    let hex: String = session.iter().map(|byte| format!("{byte:02x}")).collect();
    println!("a session's key: {hex}");
    println!("a master key of {} bytes", master.len());
    println!("a die: {}", 1 + Cprng.below(6));
    println!("a port: {}", Cprng.range(49152..=65535));
}
