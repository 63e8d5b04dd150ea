/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program for any C library: known answers; values of threads, a parent and its child, none of which repeats.  Exit status 0
 * on success.  The argument is the library's expected placement, with ", inlined" where draws are inlined.
 */
#include <cprng/cprng.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A repeat among 200000 values by chance: (2 * 10^5)^2 / 2^65 = 10^-9. */
enum { WRITERS = 4, EACH = 50000 };

static uint64_t *drawn;

static void require(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "tests/programs/musl: %s\n", what);
		exit(1);
	}
}

/* By numbers, short requests, long requests. */
static void draw(uint64_t *values)
{
	int i = 0;

	for (; i < EACH / 2; i++)
		values[i] = cprng_fast64();
	for (; i + 512 <= EACH * 3 / 4; i += 3)
		cprng_fast(&values[i], 3 * sizeof(values[0]));
	cprng_fast(&values[i], (size_t)(EACH - i - 100) * sizeof(values[0]));
	cprng_strong(&values[EACH - 100], 100 * sizeof(values[0]));
}

static void *draw_in_thread(void *values)
{
	draw(values);
	return NULL;
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
	char placement[40];
	pthread_t thread[2];
	int status = -1, failures = 0;
	pid_t child;

	drawn = mmap(NULL, WRITERS * EACH * sizeof(*drawn), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	require(drawn != MAP_FAILED, "no memory");
	require(cprng_selftest(report, &failures) == CPRNG_OK && failures == 0, "the known answers are missed");
	cprng_get_info(&info, sizeof(info));
	snprintf(placement, sizeof(placement), "%s%s", info.placement, cprng_draw_1.buffers != NULL ? ", inlined" : "");
	printf("placement %s, fork guard %s, entropy %s, %s/%s\n", placement, info.fork_guard, info.entropy,
	       info.engine, info.backend);
	require(argc == 2 && strcmp(placement, argv[1]) == 0, "the placement is another one");

	for (int i = 0; i < 2; i++)
		require(pthread_create(&thread[i], NULL, draw_in_thread, drawn + i * EACH) == 0, "no thread");
	child = fork();
	require(child >= 0, "no fork");
	if (child == 0) {
		draw(drawn + 2 * EACH);
		_exit(0);
	}
	draw(drawn + 3 * EACH);
	for (int i = 0; i < 2; i++)
		require(pthread_join(thread[i], NULL) == 0, "a thread is lost");
	require(waitpid(child, &status, 0) == child && status == 0, "the child has failed");

	qsort(drawn, WRITERS * EACH, sizeof(*drawn), compare);
	require(drawn[0] != 0, "a zero");
	for (int i = 1; i < WRITERS * EACH; i++)
		require(drawn[i] != drawn[i - 1], "a value was drawn twice");
	return 0;
}
