/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws through the C library's functions. */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* glibc declares them since version 2.36. */
uint32_t arc4random(void);
void arc4random_buf(void *buf, size_t len);
uint32_t arc4random_uniform(uint32_t bound);

void prepare_thread(void)
{
}

void draw_value(unsigned char *value, unsigned int which)
{
	switch (which % 4) {
	case 0:
		arc4random_buf(value, VALUE);
		break;
	case 1:
		if (getentropy(value, VALUE) != 0)
			fail("getentropy");
		break;
	case 2:
		if (getrandom(value, VALUE, 0) != VALUE)
			fail("getrandom");
		break;
	default:
		for (int i = 0; i < VALUE; i += 4) {
			uint32_t word = arc4random();

			memcpy(value + i, &word, sizeof(word));
		}
	}
}

/* Sixteen bytes three times, each wholly from one function. */
static void counted(void)
{
	unsigned char value[VALUE];

	for (unsigned int i = 0; i < 4; i++)
		draw_value(value, i);
	(void)arc4random_uniform(6);
	_exit(0);
}

/* For each bound the least and greatest of many numbers, and how many distinct ones were below 64. */
static void uniform(void)
{
	static const uint32_t bounds[] = { 0,          1,          2,          3,          5,         10,
					   63,         64,         1000,       65536,      65537,     0x7fffffff,
					   0x80000000, 0x80000001, 0xc0000000, 0xfffffffe, 0xffffffff };

	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		uint32_t least = UINT32_MAX, most = 0;
		uint64_t seen = 0;

		for (int n = 0; n < 100000; n++) {
			const uint32_t number = arc4random_uniform(bounds[i]);

			least = number < least ? number : least;
			most = number > most ? number : most;
			if (number < 64)
				seen |= UINT64_C(1) << number;
		}
		printf("%u %u %u %d\n", bounds[i], least, most, __builtin_popcountll(seen));
	}
}

const struct mode other_modes[] = {
	{ "semantics", semantics },       { "bad-addresses", bad_addresses },
	{ "differential", differential }, { "longest", longest },
	{ "longest-read", longest_read }, { "counted", counted },
	{ "uniform", uniform },           { NULL, NULL },
};
