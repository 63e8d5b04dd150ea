/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AES-CTR keystream, for all instruction sets.  The including file defines:
 *
 *	AES_V                       vector of AES_LANES blocks
 *	AES_V_KEY(p)                the 16 bytes at p, in every lane
 *	AES_V_COUNTER(hi, lo)       lane j is the counter (hi, lo + j)
 *	AES_V_LOW(n)                n to add to the low halves of counters, which do not wrap
 *	AES_V_ADD(a, b)             the sum
 *	AES_V_REGISTER              the asm constraint for a vector register
 *	AES_V_ORDER()               the constant that AES_V_BLOCKS needs in a register
 *	AES_V_BLOCKS(v, order)      counters to counter blocks
 *	AES_V_FIRST(s, k0)          a block cipher call is FIRST, ROUND for i = 1 .. rounds - 1, and LAST; ROUND and
 *	AES_V_ROUND(s, prev, k)     LAST are given two round keys, i - 1 and i, as instruction sets differ in where they
 *	AES_V_LAST(s, prev, k)      add the round key
 *	AES_V_STORE(p, v)           at any alignment
 *	AES_V_STORE_PART(p, v, n)   the first n lanes, 0 < n < AES_LANES
 *	AES_V_STREAM(p, v)          past the caches, p aligned to the vector
 *	AES_V_FENCE()               orders streaming stores
 *	AES_V_HOLDS_KEYS            1 where the register file has room for all round keys and a batch, or 0
 *
 * and gets aes_keystream().
 */
#include "core/port.h"
#include "engine/aesctr/aesctr.h"

enum {
	AES_WIDE = 8, /* vectors in flight: latency of a round times rounds begun per cycle */
	AES_WIDE_BLOCKS = AES_WIDE * AES_LANES,
	AES_V_SIZE = AES_LANES * CPRNG_AES_BLOCK,
};

#define AES_EACH_KEY(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14)
#define AES_EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8)
#define AES_EACH_ROUND(f) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13)

enum aes_store { AES_STORE_ALL, AES_STORE_STREAM, AES_STORE_SOME };

/*
 * Encrypt width vectors of counters and store them, or the first n blocks of them; returns the counters that follow.
 * rounds, width and store are constants at each call, and so is whether held has the round keys.
 */
CPRNG_INLINE AES_V aes_batch(const struct cprng_keystate *ks, const AES_V *held, unsigned int rounds,
			     unsigned int width, AES_V counter, AES_V step, AES_V order, uint8_t *out,
			     enum aes_store store, size_t n)
{
	AES_V s[AES_WIDE + 1];

	(void)order; /* AES_V_BLOCKS may not use it */
	/* Batches must not share loads of round keys: the compiler would spill them, and the copies would outlive the call. */
	__asm__ volatile("" : "+" AES_V_REGISTER(counter) : : "memory");

#define AES_ROUND_KEY(i) (held ? held[i] : AES_V_KEY(ks->u.round_key[i]))
#define AES_BEGIN(j) \
	if ((j) < width) { \
		s[j] = AES_V_FIRST(AES_V_BLOCKS(counter, order), AES_ROUND_KEY(0)); \
		counter = AES_V_ADD(counter, step); \
	}
#define AES_ONE(j) \
	if ((j) < width) \
		s[j] = AES_V_ROUND(s[j], prev, k);
#define AES_ROUND(i) \
	if ((i) < rounds) { \
		const AES_V prev = AES_ROUND_KEY((i) - 1), k = AES_ROUND_KEY(i); \
		(void)prev; \
		(void)k; \
		AES_EACH(AES_ONE) \
	}
/* The asm keeps a compiler from moving the work into the branches around the stores, where nothing overlaps. */
#define AES_END(j) \
	if ((j) < width) { \
		s[j] = AES_V_LAST(s[j], AES_ROUND_KEY(rounds - 1), AES_ROUND_KEY(rounds)); \
		__asm__ volatile("" : "+" AES_V_REGISTER(s[j])); \
	}
#define AES_OUT(j) \
	if ((j) < width) { \
		if (store == AES_STORE_STREAM) \
			AES_V_STREAM(out + (j) * AES_V_SIZE, s[j]); \
		else if (store == AES_STORE_ALL || n >= ((j) + 1) * AES_LANES) \
			AES_V_STORE(out + (j) * AES_V_SIZE, s[j]); \
		else if (n > (j) * AES_LANES) \
			AES_V_STORE_PART(out + (j) * AES_V_SIZE, s[j], (unsigned int)n - (j) * AES_LANES); \
	}
	AES_EACH(AES_BEGIN)
	AES_EACH_ROUND(AES_ROUND)
	AES_EACH(AES_END)
	AES_EACH(AES_OUT)
#undef AES_ROUND_KEY
#undef AES_BEGIN
#undef AES_ONE
#undef AES_ROUND
#undef AES_END
#undef AES_OUT
	return counter;
}

/*
 * Return whether the next of n blocks form a wide batch.  No wide batch leaves a single vector over, which would take as long as
 * a batch; requests of 1 KiB with the next key, 66 blocks, end that way.
 */
CPRNG_INLINE bool aes_wide_next(size_t n)
{
	return n >= AES_WIDE_BLOCKS + AES_LANES + 1 || n == AES_WIDE_BLOCKS;
}

/* Generate all wide batches of n blocks, and advance counter, out and n. */
CPRNG_INLINE void aes_wide(const struct cprng_keystate *ks, unsigned int rounds, AES_V *counter, AES_V step,
			   AES_V order, uint8_t **out, enum aes_store store, size_t *n)
{
	AES_V key[CPRNG_AES256_ROUNDS + 1];

	if (!aes_wide_next(*n))
		return;
#define AES_HOLD(i) \
	if (AES_V_HOLDS_KEYS && (i) < rounds + 1) \
		key[i] = AES_V_KEY(ks->u.round_key[i]);
	AES_EACH_KEY(AES_HOLD)
#undef AES_HOLD
	do {
		*counter = aes_batch(ks, AES_V_HOLDS_KEYS ? key : NULL, rounds, AES_WIDE, *counter, step, order, *out,
				     store, *n);
		*out += AES_WIDE * AES_V_SIZE;
		*n -= AES_WIDE_BLOCKS;
	} while (aes_wide_next(*n));
}

/* Generate n blocks at counters that do not carry into the high half. */
CPRNG_INLINE void aes_run(const struct cprng_keystate *ks, unsigned int rounds, uint64_t hi, uint64_t lo, uint8_t *out,
			  size_t n, bool stream)
{
	AES_V counter = AES_V_COUNTER(hi, lo), step = AES_V_LOW(AES_LANES), order = AES_V_ORDER();

	/* Hide that these are constants: otherwise the compiler uses a register for each multiple and use of them. */
	__asm__("" : "+" AES_V_REGISTER(step), "+" AES_V_REGISTER(order));

	if (stream)
		aes_wide(ks, rounds, &counter, step, order, &out, AES_STORE_STREAM, &n);
	else
		aes_wide(ks, rounds, &counter, step, order, &out, AES_STORE_ALL, &n);
	/* A batch takes about as long as a single block, so the rest is one batch of the smallest size that holds it. */
	if (n > 8 * AES_LANES)
		aes_batch(ks, NULL, rounds, 9, counter, step, order, out, AES_STORE_SOME, n);
	else if (n > 4 * AES_LANES)
		aes_batch(ks, NULL, rounds, 8, counter, step, order, out, AES_STORE_SOME, n);
	else if (n > 2 * AES_LANES)
		aes_batch(ks, NULL, rounds, 4, counter, step, order, out, AES_STORE_SOME, n);
	else if (n > 1 * AES_LANES)
		aes_batch(ks, NULL, rounds, 2, counter, step, order, out, AES_STORE_SOME, n);
	else if (n > 0)
		aes_batch(ks, NULL, rounds, 1, counter, step, order, out, AES_STORE_SOME, n);
}

/*
 * Return how many of n blocks form one run: up to the carry into the counter's high half and, when streaming, up to an aligned
 * position of out (large allocations start 16 bytes past a page).  An out that is never aligned gets ordinary stores.
 */
CPRNG_INLINE size_t aes_run_length(uint64_t lo, const uint8_t *out, size_t n, unsigned int flags, bool *stream)
{
	const size_t before = (0 - (uintptr_t)out) % AES_V_SIZE;

	if (lo != 0 && n > 0 - lo)
		n = (size_t)(0 - lo);
	*stream = flags & CPRNG_STREAMING && before == 0;
	if (flags & CPRNG_STREAMING && before % CPRNG_AES_BLOCK == 0 && before > 0 && n > before / CPRNG_AES_BLOCK)
		n = before / CPRNG_AES_BLOCK;
	return n;
}

CPRNG_INLINE void aes_keystream_rounds(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				       unsigned int flags)
{
	size_t n;
	bool stream;

	for (; nblocks > 0; nblocks -= n, out += n * CPRNG_AES_BLOCK) {
		n = aes_run_length(ks->counter_lo, out, nblocks, flags, &stream);
		aes_run(ks, rounds, ks->counter_hi, ks->counter_lo, out, n, stream);
		cprng_aesctr_advance(ks, n);
	}
}

CPRNG_INLINE void aes_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				unsigned int flags)
{
	if (rounds == CPRNG_AES256_ROUNDS)
		aes_keystream_rounds(ks, CPRNG_AES256_ROUNDS, out, nblocks, flags);
	else
		aes_keystream_rounds(ks, CPRNG_AES128_ROUNDS, out, nblocks, flags);
	if (flags & CPRNG_STREAMING)
		AES_V_FENCE();
}
