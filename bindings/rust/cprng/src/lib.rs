// SPDX-License-Identifier: BSD-2-Clause
#![doc = include_str!("../README.md")]
#![no_std]

#[cfg(feature = "serde")]
mod checkpoints;
mod choices;
mod engine;
mod error;
mod generator;
#[cfg(all(feature = "getrandom", getrandom_backend = "custom"))]
mod getrandom_backend;
mod process;
mod range;
mod stream;
mod strong;
#[cfg(any(feature = "rand_core", feature = "rand_core_09", feature = "rand_core_06"))]
mod traits;

pub use choices::{Alias, Uuid, Weights};
pub use engine::Engine;
pub use error::Error;
pub use generator::{bytes, fill, fill_uninit, Cprng};
pub use process::{
    add_entropy, info, invalidate, reseed, seed_file, selftest, strong_info, version, vfork_child, Info, SeedFile, Source,
    StrongInfo,
};
pub use stream::{Checkpoint, Stream};
pub use strong::Strong;
