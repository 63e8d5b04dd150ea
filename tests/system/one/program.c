/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with one copied header and source.  Exit status 1: the library's known answers fail.  With an argument: makes a call
 * that sets everything up, writes the argument, and then makes draws of every kind.
 */
#include "cprng.h"

#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned char bytes[1 << 20];
static double normals[1000];

static int draw_all(void)
{
	static const size_t lengths[] = { 8, 32, 300, 4096, sizeof(bytes) };
	cprng_fortuna *fortuna;
	int bad;

	for (size_t i = 0; i < COUNT(lengths); i++) {
		cprng_fast(bytes, lengths[i]);
		cprng_strong(bytes, lengths[i]);
	}
	/* In an emulator a fork wipes no pages. */
	bad = cprng_fortuna_new(&fortuna, NULL, 0);
	if (bad == 0) {
		bad |= cprng_fortuna_seed(fortuna, "a seed of 32 bytes, all the same", 32);
		for (size_t i = 0; i < COUNT(lengths); i++)
			bad |= cprng_fortuna_read(fortuna, bytes, lengths[i]);
		cprng_fortuna_free(fortuna);
	} else if (bad == CPRNG_ERR_UNSUPPORTED) {
		bad = 0;
	}
	bad |= cprng_fill_normal(normals, COUNT(normals), 0, 1);
	cprng_shuffle(bytes, 100, 1);
	return bad != 0 || cprng_normal(0, 0) != 0 || cprng_uniform32(1) + cprng_fast8() / 256 != 0;
}

int main(int argc, char **argv)
{
	struct cprng_info info;
	cprng_stream stream;
	int bad;

	if (argc > 1) {
		cprng_get_info(&info, sizeof(info));
		if (write(STDERR_FILENO, argv[1], strlen(argv[1])) < 0)
			return 2;
		return draw_all();
	}
	if (cprng_selftest(NULL, NULL) != 0)
		return 1;
	if (cprng_stream_seed_integer(&stream, NULL, 42) != 0)
		return 2;
	bad = cprng_stream_fill_normal(&stream, normals, COUNT(normals), 0, 1);
	cprng_stream_wipe(&stream);
	return bad != 0 || draw_all() ? 3 : 0;
}
