// SPDX-License-Identifier: BSD-2-Clause
use crate::{Cprng, Error, Stream};
use core::ffi::c_char;
use core::fmt;
use core::marker::PhantomData;
use cprng_sys::{cprng_alias, cprng_weights};

/// An entry of the table of [`Weights`].
///
/// # Examples
/// ```
/// let table = [cprng::Alias::default(); 3];
/// # let _ = table;
/// ```
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Alias(cprng_alias);

/// Weights for choices: set up once, then each choice takes constant time, by [`Cprng::weighted`] or [`Stream::weighted`].  The
/// probabilities are exact.  The table is the caller's memory.
///
/// # Examples
/// ```
/// use cprng::{Alias, Cprng, Weights};
/// let mut table = [Alias::default(); 3];
/// let colours = Weights::new(&mut table, &[70, 25, 5])?;
/// let colour = ["red", "green", "blue"][Cprng.weighted(&colours)];
/// # assert!(!colour.is_empty());
/// # Ok::<(), cprng::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Weights<'table> {
    weights: cprng_weights,
    table: PhantomData<&'table [Alias]>,
}

// SAFETY: a choice only reads, and the table is borrowed for as long.
unsafe impl Send for Weights<'_> {}
// SAFETY: as above.
unsafe impl Sync for Weights<'_> {}

impl<'table> Weights<'table> {
    /// Set up weights, in linear time.
    ///
    /// # Errors
    /// [`Error::Argument`] if the table has fewer entries than there are weights, if the sum of the weights is 0, or if
    /// their number times their sum is 2^64 or more.
    ///
    /// # Examples
    /// ```
    /// use cprng::{Alias, Error, Weights};
    /// assert_eq!(Weights::new(&mut [Alias::default(); 2], &[0, 0]).unwrap_err(), Error::Argument);
    /// ```
    pub fn new(table: &'table mut [Alias], weights: &[u64]) -> Result<Self, Error> {
        let mut made = cprng_weights { table: core::ptr::null(), count: 0, sum: 0, bound: 0, refused: 0 };
        if table.len() < weights.len() {
            return Err(Error::Argument);
        }
        // SAFETY: the table has room, and an Alias is a cprng_alias.
        Error::check(unsafe {
            cprng_sys::cprng_weights_init(&mut made, table.as_mut_ptr().cast(), weights.as_ptr(), weights.len())
        })?;
        Ok(Self { weights: made, table: PhantomData })
    }
}

/// The 16 bytes of a UUID (RFC 9562), which is written as text by `Display`.  UUIDs of version 7 are ordered by time.
///
/// # Examples
/// ```
/// let name = cprng::Cprng.uuid4().to_string();
/// assert_eq!(name.len(), 36);
/// ```
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Uuid(pub [u8; 16]);

impl fmt::Display for Uuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0u8; 37];
        // SAFETY: the bytes of the text and of the UUID.
        unsafe { cprng_sys::cprng_uuid_text(text.as_mut_ptr().cast(), self.0.as_ptr()) };
        f.pad(core::str::from_utf8(&text[..36]).unwrap_or_default())
    }
}

/// Single choices, and UUIDs.
impl Cprng {
    /// Return `true` with probability `p`, exactly; `false` if it is negative or NaN, `true` if it is above 1.
    ///
    /// # Examples
    /// ```
    /// let success = cprng::Cprng.bernoulli(0.25);
    /// # let _: bool = success;
    /// ```
    pub fn bernoulli(self, p: f64) -> bool {
        cprng_sys::cprng_bernoulli(p) == 1
    }

    /// Return `true` with probability `numerator / denominator`, exactly; `true` if the numerator is the greater.
    ///
    /// # Panics
    /// If the denominator is 0.
    ///
    /// # Examples
    /// ```
    /// let two_of_three = cprng::Cprng.bernoulli_ratio(2, 3);
    /// # let _: bool = two_of_three;
    /// ```
    pub fn bernoulli_ratio(self, numerator: u64, denominator: u64) -> bool {
        self.below_u64(denominator) < numerator
    }

    /// Return the index of a weight, with probability weight / sum, exactly.
    ///
    /// # Examples
    /// ```
    /// let mut table = [cprng::Alias::default(); 2];
    /// let weights = cprng::Weights::new(&mut table, &[0, 1])?;
    /// assert_eq!(cprng::Cprng.weighted(&weights), 1);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn weighted(self, weights: &Weights<'_>) -> usize {
        // SAFETY: they are set up, and their table is borrowed.
        unsafe { cprng_sys::cprng_weighted(&weights.weights) }
    }

    /// Fill `out` with symbols of an alphabet, all equally likely: identifiers, passwords.  Reads the alphabet at the places that
    /// the draws choose.
    ///
    /// # Errors
    /// [`Error::Argument`], with nothing written, unless the alphabet has 1 to 256 symbols.
    ///
    /// # Examples
    /// ```
    /// let mut id = [0; 21];
    /// cprng::Cprng.text(&mut id, b"0123456789abcdefghjkmnpqrstvwxyz")?;
    /// assert!(std::str::from_utf8(&id).unwrap().is_ascii());
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn text(self, out: &mut [u8], alphabet: &[u8]) -> Result<(), Error> {
        text(out, alphabet, |out, length, alphabet, symbols| {
            // SAFETY: the room for the characters and a NUL, and the alphabet.
            Error::check(unsafe { cprng_sys::cprng_text(out, length, alphabet, symbols) })
        })?;
        if let Some(last) = out.last_mut() {
            *last = alphabet[self.below(alphabet.len() as u32) as usize];
        }
        Ok(())
    }

    /// Return a UUID of version 4, which has 122 random bits.
    ///
    /// # Examples
    /// ```
    /// assert_ne!(cprng::Cprng.uuid4(), cprng::Cprng.uuid4());
    /// ```
    pub fn uuid4(self) -> Uuid {
        let mut uuid = Uuid([0; 16]);
        // SAFETY: 16 bytes.
        unsafe { cprng_sys::cprng_uuid4(uuid.0.as_mut_ptr()) };
        uuid
    }

    /// Return a UUID of version 7: the time, a counter, and 62 random bits.  Each is greater than all that the process made before.
    ///
    /// # Errors
    /// [`Error::System`] if the clock cannot be read, and [`Error::Range`] after the year 10889.
    ///
    /// # Examples
    /// ```
    /// assert!(cprng::Cprng.uuid7()? < cprng::Cprng.uuid7()?);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn uuid7(self) -> Result<Uuid, Error> {
        let mut uuid = Uuid([0; 16]);
        // SAFETY: 16 bytes.
        Error::check(unsafe { cprng_sys::cprng_uuid7(uuid.0.as_mut_ptr()) })?;
        Ok(uuid)
    }
}

/// Write all symbols of a text but the last one, in whose place C writes a NUL.
fn text(
    out: &mut [u8],
    alphabet: &[u8],
    write: impl FnOnce(*mut c_char, usize, *const c_char, usize) -> Result<(), Error>,
) -> Result<(), Error> {
    let (mut none, symbols) = ([0], alphabet.as_ptr().cast());
    match out.len() {
        0 => write(none.as_mut_ptr(), 0, symbols, alphabet.len()),
        length => write(out.as_mut_ptr().cast(), length - 1, symbols, alphabet.len()),
    }
}

/// Single choices, and UUIDs.  If the stream ends first, the offset is unchanged.
impl Stream {
    /// Return `true` with probability `p`, exactly, from 8 bytes, rarely more.  Like [`Cprng::bernoulli`].
    ///
    /// # Panics
    /// If the stream ends first.
    ///
    /// # Examples
    /// ```
    /// let success = cprng::Stream::new(42).bernoulli(0.25);
    /// # let _: bool = success;
    /// ```
    pub fn bernoulli(&mut self, p: f64) -> bool {
        // SAFETY: a stream, and room for the result.
        self.must(|s, out| unsafe { cprng_sys::cprng_stream_try_bernoulli(s, out, p) }) == 1
    }

    /// Return `true` with probability `numerator / denominator`, exactly; `true` if the numerator is the greater.
    ///
    /// # Panics
    /// If the denominator is 0, or if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// let two_of_three = cprng::Stream::new(42).bernoulli_ratio(2, 3);
    /// # let _: bool = two_of_three;
    /// ```
    pub fn bernoulli_ratio(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below_u64(denominator) < numerator
    }

    /// Return the index of a weight, with probability weight / sum, exactly.
    ///
    /// # Panics
    /// If the stream ends first.
    ///
    /// # Examples
    /// ```
    /// let mut table = [cprng::Alias::default(); 2];
    /// let weights = cprng::Weights::new(&mut table, &[0, 1])?;
    /// assert_eq!(cprng::Stream::new(42).weighted(&weights), 1);
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn weighted(&mut self, weights: &Weights<'_>) -> usize {
        // SAFETY: a stream, and room for the result; the weights are set up, and their table is borrowed.
        self.must(|s, out| unsafe { cprng_sys::cprng_stream_try_weighted(s, out, &weights.weights) })
    }

    /// Fill `out` with symbols of an alphabet, from a byte for each try.
    ///
    /// # Errors
    /// [`Error::Argument`], with nothing written, unless the alphabet has 1 to 256 symbols.  [`Error::Range`] if the stream ends
    /// first: then the contents of `out` are no text.
    ///
    /// # Examples
    /// ```
    /// let mut id = [0; 21];
    /// cprng::Stream::new(42).text(&mut id, b"0123456789abcdefghjkmnpqrstvwxyz")?;
    /// # assert!(id.is_ascii());
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn text(&mut self, out: &mut [u8], alphabet: &[u8]) -> Result<(), Error> {
        let offset = self.tell();
        let mut write = |out, length, alphabet, symbols| {
            // SAFETY: a stream, the room for the characters and a NUL, and the alphabet.
            Error::check(unsafe { cprng_sys::cprng_stream_text(self.raw(), out, length, alphabet, symbols) })
        };
        text(out, alphabet, &mut write)?;
        if let Some(last) = out.last_mut() {
            let mut two = [0u8; 2];
            if let Err(error) = text(&mut two, alphabet, write) {
                self.seek(offset)?;
                return Err(error);
            }
            *last = two[0];
        }
        Ok(())
    }

    /// Return a UUID of version 4, from 16 bytes.
    ///
    /// # Errors
    /// [`Error::Range`] if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// let name = cprng::Stream::new(42).uuid4()?;
    /// # assert_eq!(name.to_string().as_bytes()[14], b'4');
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn uuid4(&mut self) -> Result<Uuid, Error> {
        // SAFETY: a stream, and 16 bytes.
        self.get(|s, out: *mut [u8; 16]| unsafe { cprng_sys::cprng_stream_uuid4(s, out.cast()) }).map(Uuid)
    }

    /// Return a UUID of version 7 of this time in milliseconds since 1970, from 10 bytes.  Those of one time are in no order.
    ///
    /// # Errors
    /// [`Error::Argument`] if the time is 2^48 or more, and [`Error::Range`] if the stream ends first.
    ///
    /// # Examples
    /// ```
    /// let name = cprng::Stream::new(42).uuid7(1_700_000_000_000)?;
    /// assert!(name.to_string().starts_with("018bcfe5-6800-7"));
    /// # Ok::<(), cprng::Error>(())
    /// ```
    pub fn uuid7(&mut self, unix_ms: u64) -> Result<Uuid, Error> {
        // SAFETY: a stream, and 16 bytes.
        self.get(|s, out: *mut [u8; 16]| unsafe { cprng_sys::cprng_stream_uuid7(s, unix_ms, out.cast()) }).map(Uuid)
    }
}

/// Orders and samples.
impl Cprng {
    /// Put the elements of a slice into a uniformly random order.
    ///
    /// # Examples
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
    /// # Errors
    /// [`Error::Argument`], with nothing written, if `out` is longer than `n`.
    ///
    /// # Examples
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

/// Orders and samples.
impl Stream {
    /// Put the elements of a slice into a random order.
    ///
    /// # Panics
    /// If the stream ends first: then the elements are in another order, and the offset is unchanged.
    ///
    /// # Examples
    /// ```
    /// let mut order: Vec<u32> = (0..100).collect();
    /// cprng::Stream::new(42).shuffle(&mut order);
    /// # assert!(!order.is_sorted());
    /// ```
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        let (base, count) = (values.as_mut_ptr().cast(), values.len());
        // SAFETY: elements are swapped by copying their bytes, and none exists twice after the call, even if it fails.
        self.must(|s, _: *mut ()| unsafe { cprng_sys::cprng_stream_try_shuffle(s, base, count, size_of::<T>()) })
    }

    /// Fill `out` with distinct integers in `[0, n)` in random order.
    ///
    /// # Errors
    /// [`Error::Argument`], with nothing written, if `out` is longer than `n`.  [`Error::Range`] if the stream ends first: then the
    /// contents of `out` are no sample.
    ///
    /// # Examples
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
