// SPDX-License-Identifier: BSD-2-Clause
use crate::{Cprng, Error, Stream};

/// Orders and samples.
impl Cprng {
    /// Put the elements of a slice into a uniformly random order.
    ///
    /// ```
    /// let mut deck: Vec<u8> = (0..52).collect();
    /// cprng::Cprng.shuffle(&mut deck);
    /// # deck.sort();
    /// # assert!(deck.into_iter().eq(0..52));
    /// ```
    pub fn shuffle<T>(self, values: &mut [T]) {
        // SAFETY: elements are swapped by copying their bytes, and none exists twice after the call.
        unsafe { cprng_sys::cprng_shuffle(values.as_mut_ptr().cast(), values.len(), size_of::<T>()) }
    }

    /// Fill `out` with distinct integers in `[0, n)` in random order: all sets and orders are equally likely.
    ///
    /// Fails with [`Error::Argument`] and writes nothing if `out` is longer than `n`.
    ///
    /// ```
    /// let mut winners = [0; 3];
    /// cprng::Cprng.sample_indices(&mut winners, 1000)?;
    /// assert!(winners.iter().all(|winner| *winner < 1000));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn sample_indices(self, out: &mut [u64], n: u64) -> Result<(), Error> {
        // SAFETY: the numbers are the slice's.
        Error::check(unsafe { cprng_sys::cprng_sample(out.as_mut_ptr(), out.len(), n) })
    }
}

/// Orders and samples.  If the stream ends before an order's last byte, the process is aborted.
impl Stream {
    /// Put the elements of a slice into a random order.
    ///
    /// ```
    /// let mut order: Vec<u32> = (0..100).collect();
    /// cprng::Stream::new(42).shuffle(&mut order);
    /// # assert!(!order.is_sorted());
    /// ```
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        // SAFETY: elements are swapped by copying their bytes, and none exists twice after the call.
        unsafe { cprng_sys::cprng_stream_shuffle(self.raw(), values.as_mut_ptr().cast(), values.len(), size_of::<T>()) }
    }

    /// Fill `out` with distinct integers in `[0, n)` in random order.
    ///
    /// Fails with [`Error::Argument`] and writes nothing if `out` is longer than `n`.  Fails with [`Error::Range`] if the stream
    /// ends first: then the offset is unchanged, and the contents of `out` are not a sample.
    ///
    /// ```
    /// let mut rows = [0; 10];
    /// cprng::Stream::new(42).sample_indices(&mut rows, 1000)?;
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn sample_indices(&mut self, out: &mut [u64], n: u64) -> Result<(), Error> {
        // SAFETY: a stream, and the slice's numbers.
        Error::check(unsafe { cprng_sys::cprng_stream_sample(self.raw(), out.as_mut_ptr(), out.len(), n) })
    }
}
