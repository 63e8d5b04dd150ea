// SPDX-License-Identifier: BSD-2-Clause
//! The generators, as programs call them.

use rand::rngs::ThreadRng;
use rand::{Rng, RngExt};

/// One instance per thread.
pub trait Source {
    fn new() -> Self;
    fn next8(&mut self) -> u8;
    fn next16(&mut self) -> u16;
    fn next32(&mut self) -> u32;
    fn next64(&mut self) -> u64;
    /// n must not be 0.
    fn below(&mut self, n: u32) -> u32;
    fn fill(&mut self, out: &mut [u8]);
    fn array<const SIZE: usize>(&mut self) -> [u8; SIZE];
}

/// Numbers of each width, which the expression draws as a `Number`.
macro_rules! numbers {
    ($self:ident => $draw:expr) => {
        numbers!(next8 u8, $self => $draw);
        numbers!(next16 u16, $self => $draw);
        numbers!(next32 u32, $self => $draw);
        numbers!(next64 u64, $self => $draw);
    };
    ($next:ident $number:ident, $self:ident => $draw:expr) => {
        #[inline(always)]
        fn $next(&mut $self) -> $number {
            type Number = $number;
            $draw
        }
    };
}

/// A handle that the program keeps, as rand's documentation advises for more than one draw.
pub struct Kept(ThreadRng);

impl Source for Kept {
    fn new() -> Self {
        Kept(rand::rng())
    }

    numbers!(self => self.0.random::<Number>());

    #[inline(always)]
    fn below(&mut self, n: u32) -> u32 {
        // A separate type, as in a program, because the compiler inlines a function with one caller.
        RngExt::random_range(&mut &mut self.0, 0..n)
    }

    #[inline(always)]
    fn fill(&mut self, out: &mut [u8]) {
        self.0.fill_bytes(out)
    }

    #[inline(always)]
    fn array<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        self.0.random()
    }
}

/// The functions without a handle, each of which looks up the thread's generator.
pub struct Random;

impl Source for Random {
    fn new() -> Self {
        Random
    }

    numbers!(self => rand::random::<Number>());

    #[inline(always)]
    fn below(&mut self, n: u32) -> u32 {
        rand::random_range(0..n)
    }

    #[inline(always)]
    fn fill(&mut self, out: &mut [u8]) {
        rand::fill(out)
    }

    #[inline(always)]
    fn array<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        rand::random()
    }
}

/// AWS-LC only has bytes: a number is a request of that size.
#[cfg(feature = "aws-lc")]
pub struct AwsLc;

#[cfg(feature = "aws-lc")]
impl AwsLc {
    #[inline(always)]
    fn bytes<const SIZE: usize>() -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        aws_lc_rs::rand::fill(&mut bytes).unwrap();
        bytes
    }
}

#[cfg(feature = "aws-lc")]
impl Source for AwsLc {
    fn new() -> Self {
        AwsLc
    }

    numbers!(self => Number::from_ne_bytes(Self::bytes()));

    /// Lemire's multiplication, as the lab uses for other byte generators.
    #[inline(always)]
    fn below(&mut self, n: u32) -> u32 {
        let mut m = u64::from(self.next32()) * u64::from(n);
        if (m as u32) < n {
            let refused = n.wrapping_neg() % n;
            while (m as u32) < refused {
                m = u64::from(self.next32()) * u64::from(n);
            }
        }
        (m >> 32) as u32
    }

    #[inline(always)]
    fn fill(&mut self, out: &mut [u8]) {
        aws_lc_rs::rand::fill(out).unwrap()
    }

    #[inline(always)]
    fn array<const SIZE: usize>(&mut self) -> [u8; SIZE] {
        Self::bytes()
    }
}
