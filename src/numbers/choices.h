/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounded integers, shuffles and samples, written once for draws and for streams: each function is inlined, and takes its
 * numbers from the functions in its arguments, which it passes `source`.
 */
#ifndef CPRNG_NUMBERS_CHOICES_H
#define CPRNG_NUMBERS_CHOICES_H

#include "core/uint128.h"

CPRNG_BEGIN_DECLARATIONS

typedef uint64_t cprng_source_u64(void *source);
typedef uint32_t cprng_source_uniform32(void *source, uint32_t bound);
typedef uint64_t cprng_source_uniform64(void *source, uint64_t bound);

/* The 64-bit form of cprng_uniform32() in <cprng/draw.h>, where the method is named. */
CPRNG_INLINE uint64_t cprng_choose64(cprng_source_uniform32 *uniform32, cprng_source_u64 *u64, void *source,
				     uint64_t bound)
{
	struct cprng_uint128 m;

	if (bound <= UINT32_MAX)
		return uniform32(source, (uint32_t)bound);
	m = cprng_mul64(u64(source), bound);
	if (__builtin_expect(m.lo < bound, 0)) {
		uint64_t refused = -bound % bound;
		while (m.lo < refused)
			m = cprng_mul64(u64(source), bound);
	}
	return m.hi;
}

CPRNG_INLINE uint64_t cprng_choose_between(cprng_source_uniform64 *uniform64, cprng_source_u64 *u64, void *source,
					   uint64_t lo, uint64_t hi)
{
	if (lo > hi) {
		uint64_t other = lo;
		lo = hi;
		hi = other;
	}
	if (hi - lo == UINT64_MAX)
		return u64(source);
	return lo + uniform64(source, hi - lo + 1);
}

/* The same for signed integers: the distance and the sum are computed modulo 2^64. */
CPRNG_INLINE int64_t cprng_choose_between_signed(cprng_source_uniform64 *uniform64, cprng_source_u64 *u64, void *source,
						 int64_t lo, int64_t hi)
{
	const uint64_t first = (uint64_t)(lo < hi ? lo : hi), last = (uint64_t)(lo < hi ? hi : lo);

	return (int64_t)(first + cprng_choose_between(uniform64, u64, source, 0, last - first));
}

/* Exchange size bytes, a constant of at most 16, so that each memcpy is a load or a store.  a may equal b. */
CPRNG_INLINE void cprng_swap_constant(unsigned char *a, unsigned char *b, size_t size)
{
	unsigned char one[16], other[16];

	memcpy(one, a, size);
	memcpy(other, b, size);
	memcpy(a, other, size);
	memcpy(b, one, size);
}

CPRNG_INLINE void cprng_swap(unsigned char *a, unsigned char *b, size_t size)
{
	for (; size >= 16; size -= 16, a += 16, b += 16)
		cprng_swap_constant(a, b, 16);
	if (size >= 8) {
		cprng_swap_constant(a, b, 8);
		size -= 8, a += 8, b += 8;
	}
	for (; size > 0; size--, a++, b++)
		cprng_swap_constant(a, b, 1);
}

/* The Fisher-Yates shuffle in Durstenfeld's form (doi:10.1145/364520.364540), from the last element down. */
CPRNG_INLINE void cprng_choose_order(cprng_source_uniform64 *uniform64, void *source, void *base, size_t count,
				     size_t size)
{
	unsigned char *first = (unsigned char *)base;

	if (size == 0)
		return;
	for (; count > 1; count--) {
		size_t chosen = (size_t)uniform64(source, count);

		if (chosen != count - 1)
			cprng_swap(first + chosen * size, first + (count - 1) * size, size);
	}
}

/*
 * Shuffles by blocks of random words.  CPRNG_ORDER_BLOCK is the number of indexes in a block: the elements at the indexes are
 * prefetched together, which is several times faster than one by one, and one draw supplies all words.  A block takes
 * 672 bytes of the stack, which may be an alternate signal stack.
 */
enum { CPRNG_ORDER_BLOCK = 84, CPRNG_ORDER_PER_WORD_MAX = 6 };

/* Return the number of indexes that a word gives when the first is below bound >= 2. */
unsigned int cprng_order_per_word(uint64_t bound);

/* Return the number of words in the block for count >= 2 elements. */
CPRNG_INLINE size_t cprng_order_words(size_t count, unsigned int per_word)
{
	const size_t wanted = (count - 2) / per_word + 1, most = CPRNG_ORDER_BLOCK / per_word;

	return wanted < most ? wanted : most;
}

/* Return the block's words: they lie so far back that the indexes of earlier words never overwrite them. */
CPRNG_INLINE uint64_t *cprng_order_words_of(uint64_t *block, size_t words, unsigned int per_word)
{
	return block + words * (per_word - 1);
}

/*
 * Turn the block's words into indexes, stored from its beginning, per_word per word: the first is uniform in [0, bound), the next
 * in [0, bound - 1), and so on down to [0, 2).  Erase the words.  Return the number of indexes, 0 if all words are rejected.
 */
size_t cprng_order_choose(uint64_t *block, size_t words, uint64_t bound, unsigned int per_word);

/*
 * Exchange the last of the count elements with element index[0], the one before it with element index[1], and so on; erase the
 * indexes.  Stop before the next exchange once *generation is not `expected`.  Return the number of exchanges.
 */
size_t cprng_order_exchange(void *base, size_t count, size_t size, uint64_t *index, size_t indexes,
			    const cprng_atomic64 *generation, uint64_t expected);

/* Sort in place by Floyd's heapsort (doi:10.1145/355588.365103): no quadratic worst case, no memory. */
void cprng_sort_u64(uint64_t *v, size_t count);

/*
 * Choose k distinct integers below n, k <= n.  If k is more than n / 2, scan all integers and select each with probability
 * wanted / remaining (Fan, Muller and Rezucha; Knuth, volume 2, 3.4.2, algorithm S).  Otherwise take as many integers as are
 * missing, sort, drop duplicates, and repeat until k are distinct.  On average a round at least halves the number missing, so
 * about log2 k rounds suffice.  Both methods give the set in ascending order: a sample is a shuffle of it.
 */
CPRNG_INLINE void cprng_choose_set(cprng_source_uniform64 *uniform64, void *source, uint64_t *out, size_t k, uint64_t n)
{
	size_t have = 0;

	if (k > n / 2) {
		for (uint64_t i = 0; have < k; i++) {
			/* Stored unconditionally: a branch would leak which integers are selected. */
			out[have] = i;
			have += uniform64(source, n - i) < k - have;
		}
	}
	while (have < k) {
		size_t distinct = 1;

		while (have < k)
			out[have++] = uniform64(source, n);
		cprng_sort_u64(out, k);
		for (size_t i = 1; i < k; i++) {
			if (out[i] != out[distinct - 1])
				out[distinct++] = out[i];
		}
		have = distinct;
	}
}

CPRNG_END_DECLARATIONS

#endif
