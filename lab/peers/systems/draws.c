/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For lab/peers/systems/measure: prints the placement, and the CPU time in nanoseconds of draws of 32 bits, 16 bytes and 256
 * bytes, of a length unknown to the compiler.  Each is the minimum of 11 loops.
 */
#include <cprng/cprng.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static bool are_written(const unsigned char bytes[16])
{
	static const unsigned char none[16];

	return memcmp(bytes, none, sizeof(none)) != 0;
}

/* The minimum time of `draw`, which runs n times in each loop: other programs can only add to it. */
#define LEAST(column, is_drawn, n, draw) \
	do { \
		double least = 1e9; \
		for (int loop = 0; loop < 11; loop++) { \
			const double begin = now(); \
			for (int i = 0; i < (n); i++) \
				draw; \
			least = (now() - begin) / (n) < least ? (now() - begin) / (n) : least; \
		} \
		if (!(is_drawn)) { \
			fprintf(stderr, "draws: %s: nothing was drawn\n", column); \
			return 1; \
		} \
		printf(" %.3f", least); \
	} while (0)

int main(void)
{
	/* Zeros, which random bytes are by chance once in 2^128 runs, and 32 bits once in 2^32. */
	static unsigned char bytes[256] __attribute__((aligned(64)));
	volatile size_t some = 16, many = sizeof(bytes);
	volatile uint32_t number;
	struct cprng_info info;
	int n = 0;

	cprng_get_info(&info, sizeof(info));
	/* As many draws as take 10 ms: without buffers each is a system call. */
	for (const double begin = now(); now() - begin < 1e7; n += 1000)
		for (int i = 0; i < 1000; i++)
			number = cprng_fast32();
	printf("%s", info.placement);
	number = 0;
	LEAST("32 bits", number != 0, n, number = cprng_fast32());
	LEAST("16 bytes", are_written(bytes), n / 2, cprng_fast(bytes, some));
	LEAST("256 bytes", are_written(bytes + many - 16), n / 4, cprng_fast(bytes, many));
	printf("\n");
	return 0;
}
