/* SPDX-License-Identifier: BSD-2-Clause */
/* Single choices and UUIDs, written once for draws and for streams, as numbers/choices.h. */
#ifndef CPRNG_NUMBERS_SINGLE_H
#define CPRNG_NUMBERS_SINGLE_H

#include "numbers/choices.h"

CPRNG_BEGIN_DECLARATIONS

typedef uint32_t cprng_source_u32(void *source);

/*
 * For trials that may fail at the end of a stream; others are inlined (cprng_bernoulli(), cprng_stream_bernoulli()).
 *
 * A uniform real number is below p with probability p.  Compare its binary digits with those of p, 64 at a time, until they differ
 * or the remaining digits of p are 0.  Products and differences are exact: 2^64 is a power of 2, and the difference has the
 * last digits of the product.
 */
CPRNG_INLINE bool cprng_choose_bernoulli(cprng_source_u64 *u64, void *source, double p)
{
	uint64_t word, digits;

	if (!(p > 0))
		p = 0;
	if (p >= 1) {
		(void)u64(source);
		return true;
	}
	for (;;) {
		p *= 0x1p64;
		digits = (uint64_t)p;
		word = u64(source);
		if (CPRNG_LIKELY(word != digits))
			return word < digits;
		p -= (double)digits;
		if (p == 0)
			return false;
	}
}

/*
 * The alias method.  There are count columns of `sum` units: entry i has `share` units of column i, and entry `other` has the
 * rest.  In all, an entry has count times its weight, of count * sum units.  So a unit that is chosen uniformly belongs to it
 * with probability weight / sum.
 *
 * The unit is the number that cprng_choose64() returns for this bound.  Return its column, and set *unit to its place in the
 * column: they are the number's quotient and remainder by sum.  As in numbers/choices.c, two products take the place of the
 * division, and the low half of the second one is that of word * bound.
 */
CPRNG_INLINE uint64_t cprng_choose_column(cprng_source_u32 *u32, cprng_source_u64 *u64, void *source, uint64_t count,
					  uint64_t sum, uint64_t bound, uint64_t refused, uint64_t *unit)
{
	struct cprng_uint128 column, within;

	if (bound <= UINT32_MAX) {
		uint64_t m, n;

		do {
			m = u32(source) * count;
			n = (m & UINT32_MAX) * sum;
		} while (CPRNG_UNLIKELY((n & UINT32_MAX) < refused));
		*unit = n >> 32;
		return m >> 32;
	}
	do {
		column = cprng_mul64(u64(source), count);
		within = cprng_mul64(column.lo, sum);
	} while (CPRNG_UNLIKELY(within.lo < refused));
	*unit = within.hi;
	return column.hi;
}

/* The entry that owns the unit.  By arithmetic: a branch would be mispredicted, since the unit is random. */
CPRNG_INLINE uint64_t cprng_choose_owner(bool is_share, uint64_t column, uint64_t other)
{
	return other ^ ((column ^ other) & -(uint64_t)is_share);
}

/* The end of the program in which a choice is asked of weights that were not set up. */
#define CPRNG_NO_WEIGHTS "a choice was asked of weights that are not set up"

/* Set the version, and the variant of RFC 9562. */
CPRNG_INLINE void cprng_uuid_mark(uint8_t uuid[16], unsigned int version)
{
	uuid[6] = (uint8_t)(version << 4 | (uuid[6] & 0x0f));
	uuid[8] = (uint8_t)(0x80 | (uuid[8] & 0x3f));
}

#define CPRNG_UUID_TIME_END (UINT64_C(1) << 48)

/* Store the milliseconds in the first 6 bytes of a UUID of version 7. */
CPRNG_INLINE void cprng_uuid_put_time(uint8_t uuid[16], uint64_t milliseconds)
{
	for (unsigned int i = 0; i < 6; i++)
		uuid[i] = (uint8_t)(milliseconds >> (40 - 8 * i));
}

/* A stamp has 48 bits of milliseconds and a counter, which starts at a random number of 11 bits. */
enum { CPRNG_UUID_COUNTER_BITS = 12 };

/* Return the stamp after `last` at this time below CPRNG_UUID_TIME_END.  A full counter advances the time. */
CPRNG_INLINE uint64_t cprng_uuid_next_stamp(uint64_t last, uint64_t milliseconds, uint64_t start)
{
	const uint64_t mask = (UINT64_C(1) << CPRNG_UUID_COUNTER_BITS) - 1;

	start &= mask >> 1;
	if (milliseconds > last >> CPRNG_UUID_COUNTER_BITS)
		return milliseconds << CPRNG_UUID_COUNTER_BITS | start;
	last++;
	return (last & mask) != 0 ? last : last | start;
}

CPRNG_END_DECLARATIONS

#endif
