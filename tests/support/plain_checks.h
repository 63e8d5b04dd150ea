/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks for programs without a test framework, on any system: the known answers, and that no value is drawn twice. */
#ifndef CPRNG_TESTS_PLAIN_CHECKS_H
#define CPRNG_TESTS_PLAIN_CHECKS_H

#include <cprng/cprng.h>

#include <stdio.h>
#include <stdlib.h>

static inline void require(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "tests/system: %s\n", what);
		exit(1);
	}
}

static inline void count_failure(const struct cprng_selftest_result *result, void *failures)
{
	*(int *)failures += result->failed != 0;
}

static inline void require_known_answers(void)
{
	int failures = 0;

	require(cprng_selftest(count_failure, &failures) == CPRNG_OK && failures == 0, "the known answers are missed");
}

/* Draws by numbers, short requests and long requests. */
static inline void draw_values(uint64_t *values, int count)
{
	int i = 0;

	for (; i < count / 2; i++)
		values[i] = cprng_fast64();
	for (; i + 512 <= count * 3 / 4; i += 3)
		cprng_fast(&values[i], 3 * sizeof(values[0]));
	cprng_fast(&values[i], (size_t)(count - i - 100) * sizeof(values[0]));
	cprng_strong(&values[count - 100], 100 * sizeof(values[0]));
}

static inline int compare_values(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
static inline void require_distinct(uint64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), compare_values);
	require(values[0] != 0, "a zero");
	for (size_t i = 1; i < count; i++)
		require(values[i] != values[i - 1], "a value was drawn twice");
}

#endif
