/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's 128-bit arithmetic under the names of FreeBSD's dev/random/uint128.h, for FreeBSD's test of it.
 * CPRNG_PORTABLE_UINT128: without the compiler's 128-bit type.
 */
#ifndef SYS_DEV_RANDOM_UINT128_H_INCLUDED
#define SYS_DEV_RANDOM_UINT128_H_INCLUDED

#ifdef CPRNG_PORTABLE_UINT128
#undef __SIZEOF_INT128__
#endif
#include "core/uint128.h"

typedef struct cprng_uint128 uint128_t;
#define UINT128_ZERO ((uint128_t){ 0, 0 })

static inline void uint128_add64(uint128_t *a, uint64_t n)
{
	*a = cprng_uint128_add64(*a, n);
}

static inline void uint128_increment(uint128_t *a)
{
	uint128_add64(a, 1);
}

static inline bool uint128_equals(uint128_t a, uint128_t b)
{
	return a.hi == b.hi && a.lo == b.lo;
}

static inline int uint128_is_zero(uint128_t a)
{
	return cprng_uint128_is_zero(a);
}

static inline uint128_t le128dec(const void *from)
{
	return (uint128_t){ .hi = le64dec((const uint8_t *)from + 8), .lo = le64dec(from) };
}

static inline void le128enc(void *to, uint128_t a)
{
	le64enc(to, a.lo);
	le64enc((uint8_t *)to + 8, a.hi);
}

#endif
