/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints one figure, in microseconds by the monotonic clock, for lab/first/measure:
 *
 *   draws process     the first draw of this process, 16 bytes
 *   draws second      the second one
 *   draws child       the first draw of a forked child, whose parent has drawn
 *   draws kernel      getrandom(2) in such a child, whose parent has called it, too
 *   draws pages       the page accesses that detect a fork during a draw, in such a child: a load from a page that the fork
 *                     wiped, in place of a buffer's, and a store to another
 */
#include <cprng/cprng.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static double timed(void (*draw)(void))
{
	const double begin = now();

	draw();
	return now() - begin;
}

static void by_library(void)
{
	unsigned char bytes[16];

	cprng_fast(bytes, sizeof(bytes));
}

static void by_kernel(void)
{
	unsigned char bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		abort();
}

static void by_wiped_pages(void)
{
	enum { page = 4096 };
	static volatile unsigned char *pages;

	if (pages == NULL) {
		unsigned char *mapped =
			mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (mapped == MAP_FAILED || madvise(mapped + page, 2 * page, MADV_WIPEONFORK) != 0)
			abort();
		/*
		 * Keep the first page, as the library keeps its structure, so that the child has the page table for these pages.
		 */
		*mapped = 1;
		pages = mapped + page;
		pages[0] = 1;
	}
	(void)pages[0];
	pages[page] = 1;
}

static double in_child(void (*draw)(void))
{
	double result = 0;
	int ends[2];

	draw();
	draw();
	if (pipe(ends) != 0)
		abort();
	switch (fork()) {
	case -1:
		abort();
	case 0:
		(void)now();
		result = timed(draw);
		_exit(write(ends[1], &result, sizeof(result)) != sizeof(result));
	}
	if (read(ends[0], &result, sizeof(result)) != sizeof(result))
		abort();
	(void)wait(NULL);
	return result;
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	/* Warm up the clock. */
	(void)now();
	(void)now();
	if (strcmp(what, "process") == 0) {
		printf("%.3f\n", timed(by_library));
	} else if (strcmp(what, "second") == 0) {
		by_library();
		printf("%.3f\n", timed(by_library));
	} else if (strcmp(what, "child") == 0) {
		printf("%.3f\n", in_child(by_library));
	} else if (strcmp(what, "kernel") == 0) {
		printf("%.3f\n", in_child(by_kernel));
	} else if (strcmp(what, "pages") == 0) {
		printf("%.3f\n", in_child(by_wiped_pages));
	} else {
		fprintf(stderr, "draws: process, second, child, kernel or pages\n");
		return 2;
	}
	return 0;
}
