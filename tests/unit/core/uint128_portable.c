/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled with -U__SIZEOF_INT128__ (tests/CMakeLists.txt). */
#include "uint128_portable.h"

#ifdef __SIZEOF_INT128__
#error "this would test the native form twice"
#endif

#include "core/uint128.h"

static struct cprng_uint128 in(struct without_int128 a)
{
	return (struct cprng_uint128){ a.hi, a.lo };
}

static struct without_int128 out(struct cprng_uint128 a)
{
	return (struct without_int128){ a.hi, a.lo };
}

struct without_int128 without_int128_add(struct without_int128 a, struct without_int128 b)
{
	return out(cprng_uint128_add(in(a), in(b)));
}

struct without_int128 without_int128_add64(struct without_int128 a, uint64_t n)
{
	return out(cprng_uint128_add64(in(a), n));
}

struct without_int128 without_int128_mul64(uint64_t a, uint64_t b)
{
	return out(cprng_mul64(a, b));
}

bool without_int128_is_zero(struct without_int128 a)
{
	return cprng_uint128_is_zero(in(a));
}
