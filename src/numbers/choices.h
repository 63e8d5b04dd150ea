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

/* Exchange size bytes, a constant of 1, 2, 4, 8 or 16, so that each memcpy is a load or a store.  a may equal b. */
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

/*
 * Shuffles (Fisher-Yates in Durstenfeld's form, doi:10.1145/364520.364540, from the last element down) and selections, by blocks
 * of random words.  CPRNG_ORDER_BLOCK is the number of indexes in a block: the elements at the indexes are
 * prefetched together, which is several times faster than one by one, and one draw supplies all words.  A block takes
 * 768 bytes of the stack, which may be an alternate signal stack.
 *
 * A group of words gives the first index of each word, then the next one of each, and so on: vectors have up to as many lanes.
 */
enum { CPRNG_ORDER_BLOCK = 96, CPRNG_ORDER_GROUP = 8, CPRNG_ORDER_PER_WORD_MAX = 6 };

/* Return the number of indexes that a word gives when the first is below bound >= 2. */
unsigned int cprng_order_per_word(uint64_t bound);

/* Return the number of words in the block, so that the last index is below 2 or the block has whole groups; bound >= 2. */
CPRNG_INLINE size_t cprng_order_words(uint64_t bound, unsigned int per_word)
{
	const uint64_t wanted = (bound - 2) / per_word + 1;
	const size_t most = CPRNG_ORDER_BLOCK / per_word / CPRNG_ORDER_GROUP * CPRNG_ORDER_GROUP;

	return wanted < most ? (size_t)wanted : most;
}

/* Return the block's words: they lie so far back that the indexes of a group never overwrite the words of a later one. */
CPRNG_INLINE uint64_t *cprng_order_words_of(uint64_t *block, size_t words, unsigned int per_word)
{
	return block + words * (per_word - 1);
}

/*
 * Turn the block's words into indexes, stored from its beginning, per_word per word: the first is uniform in [0, bound), the next
 * in [0, bound - 1), and so on down to [0, 2).  Words that are no whole group, or whose indexes reach that end, are groups of one.
 * Erase the words.  Return the number of indexes, 0 if all words are rejected.
 */
size_t cprng_order_choose(uint64_t *block, size_t words, uint64_t bound, unsigned int per_word);

/*
 * Exchange the last of the count elements with element index[0], the one before it with element index[1], and so on; erase the
 * indexes.  Stop before the next exchange once *generation is not `expected`.  Return the number of exchanges.
 */
size_t cprng_order_exchange(void *base, size_t count, size_t size, uint64_t *index, size_t indexes,
			    const cprng_atomic64 *generation, uint64_t expected);

/*
 * The same with a word for each index, as cprng_choose64() takes it: 4 bytes for a bound below 2^32, otherwise 8.  This is the
 * method of streams, whose words are not to be changed.
 *
 * Return the number of words to take, at most `most`, all of one size.
 */
CPRNG_INLINE size_t cprng_order_single_words(uint64_t bound, uint64_t most)
{
	if (bound > UINT32_MAX && most > bound - UINT32_MAX)
		most = bound - UINT32_MAX;
	return (size_t)(most < CPRNG_ORDER_BLOCK ? most : (uint64_t)CPRNG_ORDER_BLOCK);
}

CPRNG_INLINE size_t cprng_order_single_size(uint64_t bound)
{
	return bound > UINT32_MAX ? 8 : 4;
}

/* Return the place of the words, little-endian, in the block. */
CPRNG_INLINE uint8_t *cprng_order_single_words_of(uint64_t *block, size_t words, uint64_t bound)
{
	return (uint8_t *)block + words * (sizeof(*block) - cprng_order_single_size(bound));
}

/* Turn the words into indexes, stored from the block's beginning, below bound, bound - 1, and so on.  Return their number. */
size_t cprng_order_choose_singly(uint64_t *block, size_t words, uint64_t bound);

/* A set of k distinct integers below n that is chosen by a scan of all integers. */
struct cprng_selection {
	uint64_t *out;
	size_t k, have;   /* `have` integers are in out, in ascending order */
	uint64_t n, next; /* all below next were considered */
};

/*
 * Select each integer with probability wanted / remaining (Fan, Muller and Rezucha; Knuth, volume 2, 3.4.2, algorithm S), by
 * indexes below n - next, n - next - 1, and so on, until k are selected.  Erase the indexes.  Stop before the next integer once
 * *generation is not `expected`.
 */
void cprng_select(struct cprng_selection *set, uint64_t *index, size_t indexes, const cprng_atomic64 *generation,
		  uint64_t expected);

/*
 * The first k distinct integers of a sequence, in its order.  If those of the sequence are uniform and independent, each order of
 * each set is equally likely, since no integer is treated differently from another.
 *
 * A hash table with open addressing finds repetitions.  It has 2 k slots with the numbers of integers, two in the high bits of
 * each element of out.
 */
struct cprng_distinct {
	uint64_t *out;
	size_t k, have; /* `have` integers are in the low bits of out */
	unsigned int value_bits, number_bits;
};

/* Return false if an element has no room for an integer below n and two slots. */
bool cprng_distinct_begin(struct cprng_distinct *set, uint64_t *out, size_t k, uint64_t n);

/* Take the k integers of the sequence in out.  Stop before the next one once *generation is not `expected`. */
void cprng_distinct_take(struct cprng_distinct *set, const cprng_atomic64 *generation, uint64_t expected);

/* Take another integer, while fewer than k are there. */
void cprng_distinct_add(struct cprng_distinct *set, uint64_t value);

/* Remove the table. */
void cprng_distinct_end(struct cprng_distinct *set);

/*
 * Sort count integers below n in place, of which the first `sorted` are in ascending order; drop duplicates, and return the number
 * of the others.  No memory but 1 KiB of stack.  The time of the sort is linear for integers chosen at random.
 */
size_t cprng_sort_distinct(uint64_t *v, size_t sorted, size_t count, uint64_t n);

CPRNG_END_DECLARATIONS

#endif
