/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

#include "core/uint128.h"
#include "core/wipe.h"

/* The 64-bit form of cprng_uniform32() in <cprng/draw.h>, where the method is named. */
uint64_t cprng_uniform64(uint64_t bound)
{
	struct cprng_uint128 m;

	if (bound <= UINT32_MAX)
		return cprng_uniform32((uint32_t)bound);
	m = cprng_mul64(cprng_fast64(), bound);
	if (__builtin_expect(m.lo < bound, 0)) {
		uint64_t refused = -bound % bound;
		while (m.lo < refused)
			m = cprng_mul64(cprng_fast64(), bound);
	}
	return m.hi;
}

uint64_t cprng_range64(uint64_t lo, uint64_t hi)
{
	if (lo > hi) {
		uint64_t other = lo;
		lo = hi;
		hi = other;
	}
	if (hi - lo == UINT64_MAX)
		return cprng_fast64();
	return lo + cprng_uniform64(hi - lo + 1);
}

static void swap(unsigned char *a, unsigned char *b, size_t size)
{
	unsigned char piece[64];

	/* memcpy of a constant size is a load or a store. */
	for (; size >= sizeof(piece); size -= sizeof(piece), a += sizeof(piece), b += sizeof(piece)) {
		memcpy(piece, a, sizeof(piece));
		memcpy(a, b, sizeof(piece));
		memcpy(b, piece, sizeof(piece));
	}
	for (; size > 0; size--, a++, b++) {
		unsigned char byte = *a;
		*a = *b;
		*b = byte;
	}
}

void cprng_shuffle(void *base, size_t count, size_t size)
{
	unsigned char *first = base;

	if (size == 0)
		return;
	for (; count > 1; count--) {
		size_t chosen = (size_t)cprng_uniform64(count);

		if (chosen != count - 1)
			swap(first + chosen * size, first + (count - 1) * size, size);
	}
}
