/* SPDX-License-Identifier: BSD-2-Clause */
/* The 128-bit arithmetic that the library needs, with and without a native type. */
#ifndef CPRNG_CORE_UINT128_H
#define CPRNG_CORE_UINT128_H

#include "core/port.h"

struct cprng_uint128 {
	uint64_t hi, lo;
};

/* Return the full product, computed from 32-bit halves (Knuth, volume 2, 4.3.1, algorithm M). */
CPRNG_INLINE struct cprng_uint128 cprng_mul64_portable(uint64_t a, uint64_t b)
{
	const uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
	const uint64_t low = al * bl, mid1 = ah * bl + (low >> 32), mid2 = al * bh + (uint32_t)mid1;

	return (struct cprng_uint128){ ah * bh + (mid1 >> 32) + (mid2 >> 32), mid2 << 32 | (uint32_t)low };
}

CPRNG_INLINE struct cprng_uint128 cprng_mul64(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 m = (unsigned __int128)a * b;

	return (struct cprng_uint128){ (uint64_t)(m >> 64), (uint64_t)m };
#else
	return cprng_mul64_portable(a, b);
#endif
}

/* Return the sum modulo 2^128. */
CPRNG_INLINE struct cprng_uint128 cprng_uint128_add_portable(struct cprng_uint128 a, struct cprng_uint128 b)
{
	const uint64_t lo = a.lo + b.lo;

	return (struct cprng_uint128){ a.hi + b.hi + (uint64_t)(lo < a.lo), lo };
}

CPRNG_INLINE struct cprng_uint128 cprng_uint128_add(struct cprng_uint128 a, struct cprng_uint128 b)
{
#ifdef __SIZEOF_INT128__
	const unsigned __int128 sum = ((unsigned __int128)a.hi << 64 | a.lo) + ((unsigned __int128)b.hi << 64 | b.lo);

	return (struct cprng_uint128){ (uint64_t)(sum >> 64), (uint64_t)sum };
#else
	return cprng_uint128_add_portable(a, b);
#endif
}

CPRNG_INLINE struct cprng_uint128 cprng_uint128_add64(struct cprng_uint128 a, uint64_t n)
{
	return cprng_uint128_add(a, (struct cprng_uint128){ 0, n });
}

CPRNG_INLINE bool cprng_uint128_is_zero(struct cprng_uint128 a)
{
	return (a.hi | a.lo) == 0;
}

#endif
