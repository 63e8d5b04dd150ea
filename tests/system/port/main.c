/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of one thread: known answers; values of all kinds of draws, none of which repeats.  Prints what the library
 * says of itself, and a value.  Exit status 0 on success.
 */
#include <cprng/cprng.h>

#include <stdio.h>
#include <stdlib.h>

/* A repeat by chance: (10^4)^2 / 2^65 = 3 * 10^-12. */
enum { VALUES = 10000 };

static uint64_t drawn[VALUES];

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void report(const struct cprng_selftest_result *result, void *failures)
{
	*(int *)failures += result->failed != 0;
}

static int failed(const char *what)
{
	fprintf(stderr, "tests/system/port: %s\n", what);
	return 1;
}

int main(void)
{
	struct cprng_info info;
	int failures = 0, i = 0;

	if (cprng_selftest(report, &failures) != CPRNG_OK || failures != 0)
		return failed("the known answers are missed");
	for (; i < VALUES / 4; i++)
		drawn[i] = cprng_fast64();
	for (; i + 512 <= VALUES / 2; i += 3)
		cprng_fast(&drawn[i], 3 * sizeof(drawn[0]));
	cprng_fast(&drawn[i], (size_t)(VALUES - 1000 - i) * sizeof(drawn[0]));
	cprng_strong(&drawn[VALUES - 1000], 1000 * sizeof(drawn[0]));
	cprng_get_info(&info, sizeof(info));
	printf("placement %s, fork guard %s, entropy %s, %s/%s\n%016llx\n", info.placement, info.fork_guard,
	       info.entropy, info.engine, info.backend, (unsigned long long)drawn[0]);
	qsort(drawn, VALUES, sizeof(drawn[0]), compare);
	if (drawn[0] == 0)
		return failed("a zero");
	for (i = 1; i < VALUES; i++) {
		if (drawn[i] == drawn[i - 1])
			return failed("a value was drawn twice");
	}
	return 0;
}
