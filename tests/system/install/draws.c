/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with all inlined functions of the headers.  Exit status 0 if the draws of each kind give every bit both set and
 * clear, and never repeat the previous 64 bits.  Compiled in both assembly dialects, as C and as C++ (test_dialects.py).
 */
#ifdef __cplusplus
#include <cprng/cprng.hpp>
#else
#include <cprng/cprng.h>
#endif
#include <cprng/fortuna.h>

#include <stdio.h>

#define DRAWS 10000 /* several refills of a buffer */

#define CHECK_DRAW(bits) \
	do { \
		uint64_t ones = 0, zeros = 0; \
		for (int i = 0; i < DRAWS; i++) { \
			const uint64_t x = cprng_fast##bits(); \
			ones |= x; \
			zeros |= ~x; \
		} \
		if ((ones & zeros) != UINT64_MAX >> (64 - bits) || ones >> (bits - 1) >> 1 != 0) { \
			fprintf(stderr, "cprng_fast" #bits " has bits that never change\n"); \
			failed = 1; \
		} \
	} while (0)

int main(void)
{
	int failed = 0, faces = 0;
	uint64_t before = cprng_fast64();

	CHECK_DRAW(8);
	CHECK_DRAW(16);
	CHECK_DRAW(32);
	CHECK_DRAW(64);
	for (int i = 0; i < DRAWS; i++) {
		const uint64_t x = cprng_fast64();
		if (x == before || cprng_double() >= 1.0)
			failed = 1;
		before = x;
		faces |= 1 << cprng_uniform32(6);
	}
	return failed != 0 || faces != 63;
}
