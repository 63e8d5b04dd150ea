/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws through the C library's functions. */
#include "subject.h"

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

const struct mode other_modes[] = {
	{ "semantics", semantics },       { "differential", differential }, { "longest", longest },
	{ "longest-read", longest_read }, { "counted", counted },           { NULL, NULL },
};
