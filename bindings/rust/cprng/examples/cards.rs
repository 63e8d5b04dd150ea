// SPDX-License-Identifier: BSD-2-Clause
//! The crate rand, drawing from the process's generator: `cargo run --example cards`.

use rand::seq::{IndexedRandom, SliceRandom};
use rand::RngExt;

fn main() {
    let mut rng = cprng::Cprng;
    let mut deck: Vec<u8> = (0..52).collect();
    deck.shuffle(&mut rng);
    let suit = ["clubs", "diamonds", "hearts", "spades"].choose(&mut rng).unwrap();
    println!("the first five: {:?}", &deck[..5]);
    println!("trumps are {suit}, and player {} leads", rng.random_range(1..=4));
}
