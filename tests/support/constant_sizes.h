/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that request 1 to 64 bytes, the sizes inlined where they are known at compile time: constant_sizes[len - 1]. */
#ifndef CPRNG_TESTS_CONSTANT_SIZES_H
#define CPRNG_TESTS_CONSTANT_SIZES_H

#include <cprng/cprng.h>

/* The size minus 1, in octal digits. */
#define CPRNG_EACH_OF_8(op, a) op(a, 0) op(a, 1) op(a, 2) op(a, 3) op(a, 4) op(a, 5) op(a, 6) op(a, 7)
#define CPRNG_EACH_OF_64(op) \
	CPRNG_EACH_OF_8(op, 0) \
	CPRNG_EACH_OF_8(op, 1) \
	CPRNG_EACH_OF_8(op, 2) \
	CPRNG_EACH_OF_8(op, 3) \
	CPRNG_EACH_OF_8(op, 4) \
	CPRNG_EACH_OF_8(op, 5) \
	CPRNG_EACH_OF_8(op, 6) \
	CPRNG_EACH_OF_8(op, 7)

#define CPRNG_DEFINE(a, b) \
	static void constant_size_##a##b(void *to) \
	{ \
		cprng_fast(to, 8 * a + b + 1); \
	}
CPRNG_EACH_OF_64(CPRNG_DEFINE)

#define CPRNG_NAME(a, b) constant_size_##a##b,
static void (*const constant_sizes[64])(void *) = { CPRNG_EACH_OF_64(CPRNG_NAME) };

#endif
