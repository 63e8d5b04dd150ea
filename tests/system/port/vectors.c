/* SPDX-License-Identifier: BSD-2-Clause */
/* 32-bit ARM with NEON: the vector registers after draws of several sizes, which compilers and C libraries copy through them. */
#include <cprng/cprng.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { HALVES = 32, PIECE = 8 };

static unsigned char drawn[4000], halves[HALVES * PIECE];
static volatile size_t sizes[] = { 16, 24, 31, 64, 100, 500, 3000 };

static void keep_vectors(void)
{
	__asm__ volatile("vstmia %0, {d0-d15}\n\t"
			 "add r12, %0, #128\n\t"
			 "vstmia r12, {d16-d31}"
			 :
			 : "r"(halves)
			 : "memory", "r12");
}

static bool is_left(size_t len)
{
	for (size_t half = 0; half < HALVES; half++) {
		for (size_t at = 0; at + PIECE <= len; at++) {
			if (memcmp(halves + half * PIECE, drawn + at, PIECE) == 0)
				return true;
		}
	}
	return false;
}

int main(void)
{
	int left = 0;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (int draw = 0; draw < 50; draw++) {
			const size_t len = sizes[i];

			cprng_fast(drawn, len);
			keep_vectors();
			left += is_left(len);
		}
	}
	/* It must be seen where it is. */
	__asm__ volatile("vld1.8 {d16}, [%0]" : : "r"(drawn) : "d16", "memory");
	keep_vectors();
	if (left != 0 || !is_left(PIECE)) {
		fprintf(stderr, "served bytes are in vector registers after %d draws\n", left);
		return 1;
	}
	return 0;
}
