// SPDX-License-Identifier: BSD-2-Clause
//! Empty ranges, which C takes as 0 or in the other order, are errors in Rust.

use crate::Error;
use core::ops::RangeInclusive;

/// The bound of `[0, bound)`, which is empty if it is 0.
pub(crate) fn some<T: Default + PartialEq>(bound: T) -> Result<[T; 1], Error> {
    if bound == T::default() {
        return Err(Error::Argument);
    }
    Ok([bound])
}

pub(crate) fn ends<T: Copy + PartialOrd>(range: RangeInclusive<T>) -> Result<[T; 2], Error> {
    if range.is_empty() {
        return Err(Error::Argument);
    }
    Ok(range.into_inner().into())
}

/// The panic of functions that return no error.
#[cold]
#[inline(never)]
pub(crate) fn empty() -> ! {
    panic!("cprng: an empty range")
}
