/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that exports functions with the library's names, as another copy might.  The shared library must not call
 * them; then the exit status is 0.
 */
#define CPRNG_NO_INLINE
#include <cprng/cprng.h>

#include <stdio.h>
#include <string.h>

static const char *called;

void cprng_fast(void *buf, size_t len)
{
	called = "cprng_fast";
	memset(buf, 0, len);
}

uint32_t cprng_fast32(void)
{
	called = "cprng_fast32";
	return 0;
}

uint64_t cprng_fast64(void)
{
	called = "cprng_fast64";
	return 0;
}

uint32_t cprng_uniform32(uint32_t bound)
{
	called = "cprng_uniform32";
	return bound - 1;
}

uint64_t cprng_uniform64(uint64_t bound)
{
	called = "cprng_uniform64";
	return bound - 1;
}

uint64_t cprng_draw_slow_1(unsigned int bytes)
{
	called = "cprng_draw_slow_1";
	return bytes;
}

int main(void)
{
	unsigned char deck[52] = { 0 };
	struct cprng_info info;

	cprng_shuffle(deck, sizeof(deck), 1);
	if (cprng_range64(0, UINT64_MAX) == cprng_range64(0, UINT64_MAX) || cprng_range64(1, 6) > 6)
		called = "functions, or a result is out of range";
	cprng_get_info(&info, sizeof(info));
	if (called == NULL)
		return 0;
	fprintf(stderr, "the library called the program's %s\n", called);
	return 1;
}
