// SPDX-License-Identifier: BSD-2-Clause
//! `<cprng/stream.h>`: reproducible streams, and the inlined numbers of `<cprng/stream_numbers.h>`.

use crate::{cprng_weights, CPRNG_OK};
use core::ffi::{c_char, c_int, c_uint, c_void};
use core::fmt;

/// The size of a stream's buffer in bytes.
pub const CPRNG_STREAM_BUFFER: usize = 1024;
/// The size of a checkpoint in bytes.
pub const CPRNG_STREAM_CHECKPOINT_SIZE: usize = 128;

/// Bytes aligned to a cache line.
#[repr(C, align(64))]
#[derive(Clone)]
pub struct Aligned<const SIZE: usize>(pub [u8; SIZE]);

/// A stream.  It may be moved and cloned; a clone continues from the same offset, and gives the same numbers:
///
/// ```compile_fail,E0382
/// fn twice(s: cprng_sys::cprng_stream) -> [cprng_sys::cprng_stream; 2] {
///     [s, s] // does not compile: only s.clone() makes a second one
/// }
/// ```
#[repr(C, align(64))]
#[derive(Clone)]
pub struct cprng_stream {
    /// The next byte, counted from the end of `buffer`: 0 or less.
    pub next: isize,
    /// The bytes of the next numbers.
    pub buffer: Aligned<CPRNG_STREAM_BUFFER>,
    /// Key and position.
    pub opaque: Aligned<512>,
}

/// Does not show the bytes, which may be a key.
impl<const SIZE: usize> fmt::Debug for Aligned<SIZE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SIZE} bytes")
    }
}

/// Does not show key and numbers.
impl fmt::Debug for cprng_stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("cprng_stream").finish_non_exhaustive()
    }
}

#[allow(missing_docs)] // the headers have them
unsafe extern "C" {
    pub fn cprng_stream_init(
        s: *mut cprng_stream,
        engine: *const c_char,
        key: *const c_void,
        key_len: usize,
        nonce: *const c_void,
        nonce_len: usize,
    ) -> c_int;
    pub fn cprng_stream_seed_integer(s: *mut cprng_stream, engine: *const c_char, seed: u64) -> c_int;
    pub fn cprng_stream_seed_string(s: *mut cprng_stream, engine: *const c_char, seed: *const c_char) -> c_int;
    pub fn cprng_stream_seed_bytes(s: *mut cprng_stream, engine: *const c_char, seed: *const c_void, len: usize) -> c_int;
    pub fn cprng_stream_seed_text(s: *mut cprng_stream, engine: *const c_char, text: *const c_char, len: usize) -> c_int;
    pub fn cprng_stream_seed_number(
        s: *mut cprng_stream,
        engine: *const c_char,
        magnitude: *const c_void,
        len: usize,
        negative: c_int,
    ) -> c_int;
    pub fn cprng_stream_child(parent: *const cprng_stream, index: u64, child: *mut cprng_stream) -> c_int;
    pub fn cprng_stream_wipe(s: *mut cprng_stream);
    pub fn cprng_stream_read(s: *mut cprng_stream, buf: *mut c_void, len: usize) -> c_int;
    pub fn cprng_stream_seek(s: *mut cprng_stream, offset: u64) -> c_int;
    pub fn cprng_stream_tell(s: *const cprng_stream) -> u64;
    pub fn cprng_stream_advance(s: *mut cprng_stream, bytes: i64) -> c_int;
    pub fn cprng_stream_save(s: *const cprng_stream, buf: *mut c_void, len: usize) -> c_int;
    pub fn cprng_stream_restore(s: *mut cprng_stream, buf: *const c_void, len: usize) -> c_int;
    pub fn cprng_stream_u8(s: *mut cprng_stream) -> u8;
    pub fn cprng_stream_u16(s: *mut cprng_stream) -> u16;
    pub fn cprng_stream_u32(s: *mut cprng_stream) -> u32;
    pub fn cprng_stream_u64(s: *mut cprng_stream) -> u64;
    pub fn cprng_stream_bool(s: *mut cprng_stream) -> c_int;
    pub fn cprng_stream_float(s: *mut cprng_stream) -> f32;
    pub fn cprng_stream_double(s: *mut cprng_stream) -> f64;
    pub fn cprng_stream_uniform32(s: *mut cprng_stream, bound: u32) -> u32;
    pub fn cprng_stream_uniform64(s: *mut cprng_stream, bound: u64) -> u64;
    pub fn cprng_stream_range64(s: *mut cprng_stream, lo: u64, hi: u64) -> u64;
    pub fn cprng_stream_int_range(s: *mut cprng_stream, lo: i64, hi: i64) -> i64;
    pub fn cprng_stream_normal(s: *mut cprng_stream, mu: f64, sigma: f64) -> f64;
    pub fn cprng_stream_exponential(s: *mut cprng_stream, mean: f64) -> f64;
    pub fn cprng_stream_shuffle(s: *mut cprng_stream, base: *mut c_void, count: usize, size: usize);
    pub fn cprng_stream_sample(s: *mut cprng_stream, out: *mut u64, k: usize, n: u64) -> c_int;
    pub fn cprng_stream_fill_u32(s: *mut cprng_stream, out: *mut u32, count: usize) -> c_int;
    pub fn cprng_stream_fill_u64(s: *mut cprng_stream, out: *mut u64, count: usize) -> c_int;
    pub fn cprng_stream_fill_uniform32(s: *mut cprng_stream, out: *mut u32, count: usize, bound: u32) -> c_int;
    pub fn cprng_stream_fill_uniform64(s: *mut cprng_stream, out: *mut u64, count: usize, bound: u64) -> c_int;
    pub fn cprng_stream_fill_range64(s: *mut cprng_stream, out: *mut u64, count: usize, lo: u64, hi: u64) -> c_int;
    pub fn cprng_stream_fill_int_range(s: *mut cprng_stream, out: *mut i64, count: usize, lo: i64, hi: i64) -> c_int;
    pub fn cprng_stream_fill_float(s: *mut cprng_stream, out: *mut f32, count: usize) -> c_int;
    pub fn cprng_stream_fill_double(s: *mut cprng_stream, out: *mut f64, count: usize) -> c_int;
    pub fn cprng_stream_fill_normal(s: *mut cprng_stream, out: *mut f64, count: usize, mu: f64, sigma: f64) -> c_int;
    pub fn cprng_stream_fill_exponential(s: *mut cprng_stream, out: *mut f64, count: usize, mean: f64) -> c_int;
    pub fn cprng_stream_bernoulli(s: *mut cprng_stream, p: f64) -> c_int;
    pub fn cprng_stream_bernoulli_ratio(s: *mut cprng_stream, numerator: u64, denominator: u64) -> c_int;
    pub fn cprng_stream_weighted(s: *mut cprng_stream, w: *const cprng_weights) -> usize;
    pub fn cprng_stream_text(
        s: *mut cprng_stream,
        out: *mut c_char,
        length: usize,
        alphabet: *const c_char,
        symbols: usize,
    ) -> c_int;
    pub fn cprng_stream_uuid4(s: *mut cprng_stream, out: *mut u8) -> c_int;
    pub fn cprng_stream_uuid7(s: *mut cprng_stream, unix_ms: u64, out: *mut u8) -> c_int;
    pub fn cprng_stream_try_double(s: *mut cprng_stream, out: *mut f64) -> c_int;
    pub fn cprng_stream_try_uniform64(s: *mut cprng_stream, out: *mut u64, bound: u64) -> c_int;
    pub fn cprng_stream_try_range64(s: *mut cprng_stream, out: *mut u64, lo: u64, hi: u64) -> c_int;
    pub fn cprng_stream_try_int_range(s: *mut cprng_stream, out: *mut i64, lo: i64, hi: i64) -> c_int;
    pub fn cprng_stream_try_normal(s: *mut cprng_stream, out: *mut f64, mu: f64, sigma: f64) -> c_int;
    pub fn cprng_stream_try_exponential(s: *mut cprng_stream, out: *mut f64, mean: f64) -> c_int;
    pub fn cprng_stream_try_bernoulli(s: *mut cprng_stream, out: *mut c_int, p: f64) -> c_int;
    pub fn cprng_stream_try_bernoulli_ratio(s: *mut cprng_stream, out: *mut c_int, numerator: u64, denominator: u64) -> c_int;
    pub fn cprng_stream_try_weighted(s: *mut cprng_stream, out: *mut usize, w: *const cprng_weights) -> c_int;
    pub fn cprng_stream_try_shuffle(s: *mut cprng_stream, base: *mut c_void, count: usize, size: usize) -> c_int;
    pub fn cprng_stream_slow_1(s: *mut cprng_stream, bytes: c_uint) -> u64;
    pub fn cprng_stream_read_slow_1(s: *mut cprng_stream, buf: *mut c_void, len: usize) -> c_int;
}

/// Write the next bytes: `cprng_stream_read`, inlined for up to 64 bytes.
///
/// # Safety
/// One of the functions above began the stream, and only those and these have changed it since.  There is room for `len` bytes.
#[inline]
pub unsafe fn stream_read(s: &mut cprng_stream, buf: *mut u8, len: usize) -> c_int {
    if len > 64 || s.next.wrapping_neg() < len as isize {
        // SAFETY: it is a library object, to which the caller has exclusive access.
        return unsafe { cprng_stream_read_slow_1(s, buf.cast(), len) };
    }
    let at = (CPRNG_STREAM_BUFFER as isize + s.next) as usize;
    // SAFETY: `next` is not below -CPRNG_STREAM_BUFFER, and as many bytes are left.
    unsafe { s.buffer.0.as_ptr().add(at).copy_to_nonoverlapping(buf, len) };
    s.next += len as isize;
    CPRNG_OK
}

/// The bytes of a number that the buffer does not have.
#[cold]
#[inline(never)]
fn slow(s: &mut cprng_stream, size: usize) -> u64 {
    let mut bytes = [0u8; 8];
    // SAFETY: a stream, by the contracts of the functions below, and room for up to 8 bytes.
    let code = unsafe { cprng_stream_read_slow_1(s, bytes.as_mut_ptr().cast(), size) };
    assert!(code == CPRNG_OK, "cprng: a number was asked of a stream at its end");
    u64::from_le_bytes(bytes)
}

macro_rules! numbers {
    ($($name:ident: $type:ty = $function:literal;)*) => {$(
        #[doc = concat!("`", $function, "`, inlined.")]
        ///
        /// # Panics
        /// If the stream ends first, where the C function ends the process.
        ///
        /// # Safety
        /// One of the functions above began the stream, and only those and these have changed it since.
        #[inline]
        pub unsafe fn $name(s: &mut cprng_stream) -> $type {
            const SIZE: usize = size_of::<$type>();
            if s.next.wrapping_neg() < SIZE as isize {
                return slow(s, SIZE) as $type;
            }
            let at = (CPRNG_STREAM_BUFFER as isize + s.next) as usize;
            // SAFETY: `next` is not below -CPRNG_STREAM_BUFFER, and as many bytes are left.
            let value = unsafe { s.buffer.0.as_ptr().add(at).cast::<$type>().read_unaligned() };
            s.next += SIZE as isize;
            <$type>::from_le(value)
        }
    )*};
}

numbers! {
    stream8: u8 = "cprng_stream_u8";
    stream16: u16 = "cprng_stream_u16";
    stream32: u32 = "cprng_stream_u32";
    stream64: u64 = "cprng_stream_u64";
}
