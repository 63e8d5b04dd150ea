/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of integers of a range, for the addon and for WebAssembly. */
#include "integers.h"

#include <string.h>

/* Numbers that one array on the stack holds. */
enum { BLOCK = 256 };

/* Integers below 2^32 as single calls make them, from 8 bytes each, so they pass through an array on the stack. */
static int fill_words(cprng_stream *stream, uint32_t *numbers, size_t count)
{
	uint64_t block[BLOCK];
	int error = CPRNG_OK;

	for (size_t n; count != 0 && error == CPRNG_OK; numbers += n, count -= n) {
		n = count < BLOCK ? count : BLOCK;
		error = FILL(stream, uniform64, block, n, (uint64_t)1 << 32);
		for (size_t i = 0; i < n; i++)
			numbers[i] = (uint32_t)block[i];
	}
	memset(block, 0, sizeof(block));
	__asm__ volatile("" : : "r"(block) : "memory");
	return error;
}

static int fill_32(cprng_stream *stream, uint32_t *numbers, size_t count, uint32_t first, uint64_t bound)
{
	const int error = bound >> 32 != 0 ? fill_words(stream, numbers, count) :
					     FILL(stream, uniform32, numbers, count, (uint32_t)bound);

	for (size_t i = 0; i < count; i++)
		numbers[i] += first;
	return error;
}

static int fill_64(cprng_stream *stream, uint64_t *numbers, size_t count, uint64_t bound)
{
	return bound == 0 ? FILL(stream, u64, numbers, count) : FILL(stream, uniform64, numbers, count, bound);
}

void cprng_node_doubles(void *numbers, size_t count, uint64_t first)
{
	unsigned char *const bytes = numbers;

	for (size_t i = 0; i < count; i++) {
		uint64_t bits;
		double number;

		memcpy(&bits, bytes + i * sizeof(bits), sizeof(bits));
		number = (double)(int64_t)(first + bits);
		memcpy(bytes + i * sizeof(bits), &number, sizeof(number));
	}
}

int cprng_node_integers(cprng_stream *stream, uint32_t type, void *numbers, size_t count, uint64_t first,
			uint64_t bound)
{
	uint64_t *const wide = numbers;
	int error;

	if (type == INTEGERS_32)
		return fill_32(stream, numbers, count, (uint32_t)first, bound);
	error = fill_64(stream, wide, count, bound);
	if (type == INTEGERS_DOUBLE)
		cprng_node_doubles(wide, count, first);
	else
		for (size_t i = 0; i < count; i++)
			wide[i] += first;
	return error;
}
