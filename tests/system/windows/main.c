/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for Windows: known answers; values of eight threads, none of which repeats; the placement.  Prints
 * what the library says of itself.  Exit status 0 on success.  With the argument "draw" it draws a value and nothing else: where the
 * system refuses random bytes, the library ends the process.
 */
#include <cprng/cprng.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

/* A repeat by chance: (2 * 10^5)^2 / 2^65 = 10^-9. */
enum { WRITERS = 8, EACH = 25000 };

static uint64_t drawn[WRITERS * EACH];

static void require(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "tests/system/windows: %s\n", what);
		exit(1);
	}
}

/* By numbers, short requests, long requests. */
static DWORD WINAPI draw(void *to)
{
	uint64_t *values = (uint64_t *)to;
	int i = 0;

	for (; i < EACH / 2; i++)
		values[i] = cprng_fast64();
	for (; i + 512 <= EACH * 3 / 4; i += 3)
		cprng_fast(&values[i], 3 * sizeof(values[0]));
	cprng_fast(&values[i], (size_t)(EACH - i - 100) * sizeof(values[0]));
	cprng_strong(&values[EACH - 100], 100 * sizeof(values[0]));
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void report(const struct cprng_selftest_result *result, void *failures)
{
	*(int *)failures += result->failed != 0;
}

int main(int argc, char **argv)
{
	struct cprng_info info;
	HANDLE thread[WRITERS];
	int failures = 0;

	if (argc == 2 && strcmp(argv[1], "draw") == 0) {
		(void)cprng_fast64();
		return 0;
	}
	require(cprng_selftest(report, &failures) == CPRNG_OK && failures == 0, "the known answers are missed");
	for (int i = 0; i < WRITERS; i++) {
		thread[i] = CreateThread(NULL, 0, draw, drawn + i * EACH, 0, NULL);
		require(thread[i] != NULL, "no thread");
	}
	require(WaitForMultipleObjects(WRITERS, thread, TRUE, INFINITE) == WAIT_OBJECT_0, "a thread is lost");
	cprng_get_info(&info, sizeof(info));
	printf("placement %s, fork guard %s, entropy %s, %s/%s, version %s\n", info.placement, info.fork_guard,
	       info.entropy, info.engine, info.backend, cprng_version());
	require(strcmp(info.placement, "slots") == 0, "the placement is another one");
	qsort(drawn, WRITERS * EACH, sizeof(*drawn), compare);
	require(drawn[0] != 0, "a zero");
	for (int i = 1; i < WRITERS * EACH; i++)
		require(drawn[i] != drawn[i - 1], "a value was drawn twice");
	return 0;
}
