/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * streams KIND: write the output of streams as an endless byte sequence, for a battery of statistical tests
 * (tests/statistics/run).  streams kinds: list the kinds.
 */
#include <cprng/cprng.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 4096 };

static cprng_stream one, many[256];
static uint64_t next_seed;

static void start(int error)
{
	if (error != 0) {
		fprintf(stderr, "streams: %s\n", cprng_strerror(error));
		exit(1);
	}
}

/* The low half of 64-bit numbers. */
static uint32_t low_bits(void)
{
	return (uint32_t)cprng_stream_u64(&one);
}

/* The upper 32 of the 53 bits of doubles. */
static uint32_t doubles(void)
{
	return (uint32_t)(cprng_stream_double(&one) * 4294967296.0);
}

/* Normals, mapped by their distribution function; uniform if they are normally distributed. */
static uint32_t normals(void)
{
	return (uint32_t)(erfc(-cprng_stream_normal(&one, 0, 1) / sqrt(2)) / 2 * 4294967296.0);
}

static uint32_t exponentials(void)
{
	return (uint32_t)(-expm1(-cprng_stream_exponential(&one, 1)) * 4294967296.0);
}

/* 256 children of one stream, in turn. */
static uint32_t children(void)
{
	static unsigned int at;

	return cprng_stream_u32(&many[at++ % 256]);
}

/* The first number of each of the streams with seeds 0, 1, 2 ... */
static uint32_t seeds(void)
{
	start(cprng_stream_seed_integer(&one, NULL, next_seed++));
	return cprng_stream_u32(&one);
}

/* A number at each multiple of 2^40 bytes. */
static uint32_t jumps(void)
{
	const uint32_t value = cprng_stream_u32(&one);

	start(cprng_stream_seek(&one, (cprng_stream_tell(&one) + ((uint64_t)1 << 40)) & ~(((uint64_t)1 << 63) + 3)));
	return value;
}

static const struct {
	const char *name;
	uint32_t (*number)(void);
} kinds[] = {
	{ "low-bits", low_bits }, { "doubles", doubles }, { "normals", normals }, { "exponentials", exponentials },
	{ "children", children }, { "seeds", seeds },     { "jumps", jumps },
};

int main(int argc, char **argv)
{
	static uint32_t buffer[NUMBERS];

	start(cprng_stream_seed_integer(&one, NULL, 1));
	for (uint64_t i = 0; i < 256; i++)
		start(cprng_stream_child(&one, i, &many[i]));
	if (argc == 2 && strcmp(argv[1], "kinds") == 0) {
		for (size_t kind = 0; kind < sizeof(kinds) / sizeof(kinds[0]); kind++)
			puts(kinds[kind].name);
		return 0;
	}
	for (size_t kind = 0; argc == 2 && kind < sizeof(kinds) / sizeof(kinds[0]); kind++) {
		if (strcmp(argv[1], kinds[kind].name) != 0)
			continue;
		do {
			for (size_t i = 0; i < NUMBERS; i++)
				buffer[i] = kinds[kind].number();
		} while (fwrite(buffer, sizeof(buffer), 1, stdout) == 1);
		return 0;
	}
	fprintf(stderr, "usage: streams KIND; `streams kinds` prints all\n");
	return 2;
}
