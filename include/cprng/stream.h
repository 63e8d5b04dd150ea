/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Streams: reproducible bytes and numbers from a key.  Included by <cprng/cprng.h>.
 *
 * A stream is the keystream of a named engine, read from its beginning or from any other byte offset.  The same engine,
 * key and nonce always give the same bytes, and the same numbers, on every machine, byte order, backend and compiler:
 * docs/streams-specification.md says which bytes make which number.  For simulations, test data and interoperability.  NOT
 * for secrets: the bytes that were read stay in memory and on the stack, and the key reveals them all.
 *
 * One thread at a time may use an object; distinct objects are independent.  A signal handler must not use an object
 * if it may have interrupted a call on that object.
 *
 * An object may be copied and moved by assignment or memcpy(3): the copy continues from the same offset, with the same
 * bytes as the original.  So does the copy in a child of fork(2): give each process a child stream.  Objects must be
 * aligned to 64 bytes: variables, members, and memory from aligned_alloc(3) or C++17's new are; memory from malloc(3) is
 * not.
 */
#include <cprng/cprng.h> /* first: it includes this file */

#ifndef CPRNG_STREAM_H
#define CPRNG_STREAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inlined into programs, like `next` and `buffer` below: changing any of them requires new symbol names. */
#define CPRNG_STREAM_BUFFER 1024

typedef struct cprng_stream {
	/* Not for programs.  The next byte, counted from the end of buffer: 0 or less; 0: nothing is buffered. */
	ptrdiff_t next;
	unsigned char buffer[CPRNG_STREAM_BUFFER] __attribute__((aligned(64)));
	unsigned char opaque[512] __attribute__((aligned(64)));
} cprng_stream;

/* As in cprng.h.  It follows the type, because C++ classes with another visibility have members of this type. */
CPRNG_PRAGMA(GCC visibility push(CPRNG_VISIBILITY))

/* ------------------------------------------------------------------------------------------------- begin and end */

/*
 * Start at offset 0 of the keystream of an engine.  nonce NULL with nonce_len 0 means the engine's first nonce size, all
 * zero.
 *
 * Engines: chacha20 chacha12 chacha8 salsa20 salsa20-12 salsa20-8 (key 16 or 32 bytes; nonce 8 bytes with a 64-bit
 * block counter; ChaCha also takes the 12-byte nonce of RFC 8439 with its 32-bit counter), aes256-ctr and aes128-ctr
 * (SP 800-38A; key 32 or 16 bytes; nonce = initial counter block of 16 bytes, counted big-endian modulo 2^128).
 * Block counters start at 0.
 *
 * ChaCha's two nonce sizes do not give separate sets of streams.  With the same key, an 8-byte nonce n and the 12-byte
 * nonce 00 00 00 00 n give the same stream, up to the end of the second, which is shorter.  Use only one size with a key.
 *
 * Returns 0, CPRNG_ERR_ARGUMENT, CPRNG_ERR_ENGINE, CPRNG_ERR_KEY_SIZE, CPRNG_ERR_NONCE_SIZE or CPRNG_ERR_SELFTEST.  After
 * an error *s is all zero, which is not a stream: functions that return an error return CPRNG_ERR_ARGUMENT for it.  So use
 * this function for uninitialised memory; the seed functions below leave *s unchanged after an error.
 *
 *     cprng_stream s;
 *     if (cprng_stream_init(&s, "chacha20", key, 32, NULL, 0) != 0 ||
 *         cprng_stream_read(&s, data, sizeof(data)) != 0)
 *             return -1;
 *     cprng_stream_wipe(&s);
 */
int cprng_stream_init(cprng_stream *s, const char *engine, const void *key, size_t key_len, const void *nonce,
		      size_t nonce_len) CPRNG_WARN_UNUSED;

/* The engine of streams that are seeded without the name of one: docs/decisions/0021-streams.md says why. */
#define CPRNG_STREAM_ENGINE "chacha8"

/*
 * Start at offset 0 of the stream of a seed: its key is a hash of the seed and of the engine's name, its nonce is all
 * zero.  engine NULL means CPRNG_STREAM_ENGINE.  Seeds of different kinds never give the same stream: the integer 1, the
 * string "1" and the byte 0x31 are three.
 *
 *   integer   any, 0 included;
 *   string    its bytes (UTF-8, for example) without the NUL; not empty;
 *   bytes     16 or more: random bytes, or another hash.
 *
 * Returns 0, CPRNG_ERR_ARGUMENT, CPRNG_ERR_ENGINE, CPRNG_ERR_SIZE (too short) or CPRNG_ERR_SELFTEST; after an error *s
 * is unchanged.
 *
 *     cprng_stream s;
 *     if (cprng_stream_seed_integer(&s, NULL, 42) != 0)
 *             return -1;
 *     double x = cprng_stream_normal(&s, 0, 1);
 */
int cprng_stream_seed_integer(cprng_stream *s, const char *engine, uint64_t seed) CPRNG_WARN_UNUSED;
int cprng_stream_seed_string(cprng_stream *s, const char *engine, const char *seed) CPRNG_WARN_UNUSED;
int cprng_stream_seed_bytes(cprng_stream *s, const char *engine, const void *seed, size_t len) CPRNG_WARN_UNUSED;

/*
 * Like cprng_stream_seed_string(), for text of len bytes, as strings of other languages are.  Also returns CPRNG_ERR_ARGUMENT
 * if the text contains a NUL.
 */
int cprng_stream_seed_text(cprng_stream *s, const char *engine, const char *text, size_t len) CPRNG_WARN_UNUSED;

/*
 * Like cprng_stream_seed_integer(), for integers of any size: the absolute value as len bytes, little-endian, and whether the
 * integer is negative.  Zeros at the end of the value have no influence, and minus zero is zero; magnitude may be NULL if len is 0.
 */
int cprng_stream_seed_number(cprng_stream *s, const char *engine, const void *magnitude, size_t len,
			     int negative) CPRNG_WARN_UNUSED;

/*
 * Start *child at offset 0 of child number index of a stream, independent of the stream and of its other children: its
 * key is a hash of the parent's key, nonce and engine, and of index.  The parent's offset has no influence, and the
 * parent does not change; child may be the same object as parent.  Children may have children.
 *
 * Returns 0, CPRNG_ERR_ARGUMENT or CPRNG_ERR_SELFTEST; after an error *child is unchanged.
 */
int cprng_stream_child(const cprng_stream *parent, uint64_t index, cprng_stream *child) CPRNG_WARN_UNUSED;

/* Erase key, position and buffer; NULL does nothing.  The object is then not a stream. */
void cprng_stream_wipe(cprng_stream *s);

/* ---------------------------------------------------------------------------------------------- bytes and offsets */

/*
 * Write the next len bytes to buf and advance the offset.  Splitting a read into several gives the same bytes.  Returns 0,
 * CPRNG_ERR_ARGUMENT, or CPRNG_ERR_RANGE if the read would pass the end of the stream: with a 12-byte nonce after 2^32
 * blocks (256 GiB), otherwise after 2^64 - 1 bytes.  After an error nothing was written and the offset is unchanged.
 *
 * Inlined if len is a constant from 1 to 64; CPRNG_NO_INLINE makes it a call, as in draw.h.
 */
int cprng_stream_read(cprng_stream *s, void *buf, size_t len) CPRNG_WARN_UNUSED;

/*
 * Set the offset in bytes from the beginning; the end of the stream is allowed.  Takes constant time.  Returns 0,
 * CPRNG_ERR_ARGUMENT or CPRNG_ERR_RANGE (as for read).
 */
int cprng_stream_seek(cprng_stream *s, uint64_t offset) CPRNG_WARN_UNUSED;

/* Return the offset in bytes of the next byte; 0 for an object that is not a stream, or NULL. */
uint64_t cprng_stream_tell(const cprng_stream *s);

/*
 * Advance the offset by a number of bytes; a negative number moves it back.  Takes constant time.  Returns 0,
 * CPRNG_ERR_ARGUMENT, or CPRNG_ERR_RANGE, with the offset unchanged, if the new offset is outside the stream.
 */
int cprng_stream_advance(cprng_stream *s, int64_t bytes) CPRNG_WARN_UNUSED;

/* ---------------------------------------------------------------------------------------------------- checkpoints */

#define CPRNG_STREAM_CHECKPOINT_SIZE 128

/*
 * Write a checkpoint of CPRNG_STREAM_CHECKPOINT_SIZE bytes to buf, which has room for len bytes: engine, key, nonce and
 * offset with a checksum, in the same format on every machine.  It is as secret as the key.  Returns 0, or
 * CPRNG_ERR_ARGUMENT or CPRNG_ERR_SIZE with nothing written.
 */
int cprng_stream_save(const cprng_stream *s, void *buf, size_t len) CPRNG_WARN_UNUSED;

/*
 * Continue from a checkpoint.  Returns 0, CPRNG_ERR_ARGUMENT, CPRNG_ERR_CHECKPOINT (the length is wrong, a byte was
 * changed, or the bytes are of another version or not a checkpoint) or CPRNG_ERR_SELFTEST; after an error *s is unchanged.
 */
int cprng_stream_restore(cprng_stream *s, const void *buf, size_t len) CPRNG_WARN_UNUSED;

/* ------------------------------------------------------------------------------------------------------- numbers */

/*
 * A number is made of the next bytes of the stream, at any offset, and advances the offset by their count.  So numbers and
 * reads may be mixed, and in a sequence of numbers of k bytes each, number i starts at offset k * i.
 *
 * These functions return no errors.  If the stream ends before the last byte of a number, or if s is NULL or not a stream,
 * they print one line to standard error and call abort(3).  The functions with _try_ in their names, below, return an error.
 */

/* Return a uniform integer of 8, 16, 32 or 64 bits, from 1, 2, 4 or 8 bytes in little-endian order. */
uint8_t cprng_stream_u8(cprng_stream *s);
uint16_t cprng_stream_u16(cprng_stream *s);
uint32_t cprng_stream_u32(cprng_stream *s);
uint64_t cprng_stream_u64(cprng_stream *s);

/* Return 0 or 1: the lowest bit of one byte. */
int cprng_stream_bool(cprng_stream *s);

/* Return a uniform multiple of 2^-24 in [0, 1), from 4 bytes: the 24 high bits of cprng_stream_u32(). */
float cprng_stream_float(cprng_stream *s);

/* Return a uniform multiple of 2^-53 in [0, 1), from 8 bytes: the 53 high bits of cprng_stream_u64(). */
double cprng_stream_double(cprng_stream *s);

/*
 * Like cprng_uniform32(), cprng_uniform64() and cprng_range64(): return a uniform integer in [0, bound) or [lo, hi],
 * unbiased.  Values are rejected and drawn again as needed, so the number of bytes used depends on the stream: 4 bytes for
 * each try if the bound, or the number of values in the range, is below 2^32, else 8.
 */
uint32_t cprng_stream_uniform32(cprng_stream *s, uint32_t bound);
uint64_t cprng_stream_uniform64(cprng_stream *s, uint64_t bound);
uint64_t cprng_stream_range64(cprng_stream *s, uint64_t lo, uint64_t hi);

/* Like cprng_stream_range64(), for signed integers. */
int64_t cprng_stream_int_range(cprng_stream *s, int64_t lo, int64_t hi);

/*
 * Return a normally distributed number with mean mu and standard deviation sigma, from 8 bytes: mu + sigma z, where z is
 * the inverse of the distribution function at a multiple of 2^-64, with a relative error below 2^-50.  So |z| < 9.1, and
 * each number depends only on its own 8 bytes.  The result has the same bits everywhere, in the default rounding mode.
 *
 * mu must be finite, and sigma finite and not negative; otherwise the function returns a NaN and leaves the offset
 * unchanged.
 */
double cprng_stream_normal(cprng_stream *s, double mu, double sigma);

/*
 * Return an exponentially distributed number with the given mean, from 8 bytes: mean * -log(u), with a relative error
 * below 2^-51, where u in (0, 1) is a multiple of 2^-64.  mean must be finite and not negative; otherwise the function
 * returns a NaN and leaves the offset unchanged.
 */
double cprng_stream_exponential(cprng_stream *s, double mean);

/* Like cprng_shuffle(), with indexes from cprng_stream_uniform64(). */
void cprng_stream_shuffle(cprng_stream *s, void *base, size_t count, size_t size);

/*
 * Write k distinct integers from [0, n) to out, in random order: each set of k, in each order, is equally likely.  The time
 * is linear in k (k log k for k near n / 2); only out and the stack are used.
 *
 * Returns 0; CPRNG_ERR_ARGUMENT, with nothing written, if k > n, if out is NULL and k > 0, or if s is not a stream; or
 * CPRNG_ERR_RANGE if the stream ends first: then the offset is unchanged, and out contains no sample.
 */
int cprng_stream_sample(cprng_stream *s, uint64_t *out, size_t k, uint64_t n) CPRNG_WARN_UNUSED;

/* Like cprng_bernoulli(): 8 bytes, and 8 more while they equal the binary digits of p, for any p. */
int cprng_stream_bernoulli(cprng_stream *s, double p);

/* Like cprng_bernoulli_ratio() and cprng_weighted(), with one number from cprng_stream_uniform64(). */
int cprng_stream_bernoulli_ratio(cprng_stream *s, uint64_t numerator, uint64_t denominator);
size_t cprng_stream_weighted(cprng_stream *s, const cprng_weights *w);

/*
 * Like cprng_text(), with one byte for each try, and cprng_uuid4(), with 16 bytes.  A UUID of version 7 has the given time, and
 * 74 random bits from 10 bytes: UUIDs of one millisecond are in no order.
 *
 * Return 0; CPRNG_ERR_ARGUMENT, also if s is not a stream or unix_ms is 2^48 or more; or CPRNG_ERR_RANGE if the stream ends
 * first.  After an error the offset is unchanged and nothing was written.  Exception: after CPRNG_ERR_RANGE the text is empty.
 */
int cprng_stream_text(cprng_stream *s, char *out, size_t length, const char *alphabet,
		      size_t symbols) CPRNG_WARN_UNUSED;
int cprng_stream_uuid4(cprng_stream *s, uint8_t out[16]) CPRNG_WARN_UNUSED;
int cprng_stream_uuid7(cprng_stream *s, uint64_t unix_ms, uint8_t out[16]) CPRNG_WARN_UNUSED;

/* ------------------------------------------------------------------------------ numbers of streams that may end */

/*
 * Like the functions without _try_ in their names, but store the number in *out, and return an error instead of ending the
 * program.  For integers of 8 to 64 bits call cprng_stream_read().
 *
 * Return 0; CPRNG_ERR_ARGUMENT if s is not a stream, if out, w or base (with elements to shuffle) is NULL, if the weights are not
 * set up, and where the other functions return a NaN; or CPRNG_ERR_RANGE if the stream ends first.  After an error the offset and
 * *out are unchanged.  Exception: after CPRNG_ERR_RANGE the elements of cprng_stream_try_shuffle() are in another order.
 */
int cprng_stream_try_double(cprng_stream *s, double *out) CPRNG_WARN_UNUSED;
int cprng_stream_try_uniform64(cprng_stream *s, uint64_t *out, uint64_t bound) CPRNG_WARN_UNUSED;
int cprng_stream_try_range64(cprng_stream *s, uint64_t *out, uint64_t lo, uint64_t hi) CPRNG_WARN_UNUSED;
int cprng_stream_try_int_range(cprng_stream *s, int64_t *out, int64_t lo, int64_t hi) CPRNG_WARN_UNUSED;
int cprng_stream_try_normal(cprng_stream *s, double *out, double mu, double sigma) CPRNG_WARN_UNUSED;
int cprng_stream_try_exponential(cprng_stream *s, double *out, double mean) CPRNG_WARN_UNUSED;
int cprng_stream_try_bernoulli(cprng_stream *s, int *out, double p) CPRNG_WARN_UNUSED;
int cprng_stream_try_bernoulli_ratio(cprng_stream *s, int *out, uint64_t numerator,
				     uint64_t denominator) CPRNG_WARN_UNUSED;
int cprng_stream_try_weighted(cprng_stream *s, size_t *out, const cprng_weights *w) CPRNG_WARN_UNUSED;
int cprng_stream_try_shuffle(cprng_stream *s, void *base, size_t count, size_t size) CPRNG_WARN_UNUSED;

/* -------------------------------------------------------------------------------------------------------- arrays */

/*
 * Fill out with the same numbers as count calls of cprng_stream_u32(), _u64(), _uniform32(), _uniform64(), _range64(),
 * _int_range(), _float(), _double(), _normal() or _exponential(), but faster.  out may be NULL if count is 0.
 *
 * Returns 0; CPRNG_ERR_ARGUMENT, also if the array would be larger than the address space, and if the single calls return
 * a NaN for mu, sigma or mean; or CPRNG_ERR_RANGE if the stream ends first.  After an error the offset is unchanged and
 * nothing was written.  Exception: after CPRNG_ERR_RANGE from a fill of bounded integers, out contains other numbers.
 */
int cprng_stream_fill_u32(cprng_stream *s, uint32_t *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_stream_fill_u64(cprng_stream *s, uint64_t *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_stream_fill_uniform32(cprng_stream *s, uint32_t *out, size_t count, uint32_t bound) CPRNG_WARN_UNUSED;
int cprng_stream_fill_uniform64(cprng_stream *s, uint64_t *out, size_t count, uint64_t bound) CPRNG_WARN_UNUSED;
int cprng_stream_fill_range64(cprng_stream *s, uint64_t *out, size_t count, uint64_t lo, uint64_t hi) CPRNG_WARN_UNUSED;
int cprng_stream_fill_int_range(cprng_stream *s, int64_t *out, size_t count, int64_t lo, int64_t hi) CPRNG_WARN_UNUSED;
int cprng_stream_fill_float(cprng_stream *s, float *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_stream_fill_double(cprng_stream *s, double *out, size_t count) CPRNG_WARN_UNUSED;
int cprng_stream_fill_normal(cprng_stream *s, double *out, size_t count, double mu, double sigma) CPRNG_WARN_UNUSED;
int cprng_stream_fill_exponential(cprng_stream *s, double *out, size_t count, double mean) CPRNG_WARN_UNUSED;

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#include <cprng/stream_numbers.h>

#endif
