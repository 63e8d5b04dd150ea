/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of calls and bytes, shared by all processes with the same file in CPRNG_PRELOAD_REPORT.  `cprng run
 * --report` creates the file and prints the counters at the end, so they include processes that end by _exit(2),
 * execve(2) or a signal. A '-' before the name, which `cprng run` uses, ignores a missing file: the file is removed at
 * the end, and surviving processes may start programs later.
 */
#ifndef CPRNG_PRELOAD_REPORT_H
#define CPRNG_PRELOAD_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* The file has 4096 bytes and begins with struct preload_report, in native byte order. */
enum counted {
	ARC4RANDOM,
	ARC4RANDOM_BUF,
	ARC4RANDOM_UNIFORM,
	GETENTROPY,
	GETRANDOM,
	KERNEL, /* getentropy and getrandom calls that the kernel served; their function's row counts them, too */
	COUNTED
};

enum {
	REPORT_SIZE = 4096,
	/* Changes whenever struct preload_report or enum counted does. */
	REPORT_LAYOUT = 1,
};

struct preload_report {
	uint64_t processes; /* program images: each execve(2) counts, a fork does not */
	uint64_t layout;    /* REPORT_LAYOUT; 0 in a hand-made file, which any library version accepts */
	struct {
		uint64_t calls, bytes;
	} count[COUNTED];
};

/* NULL: nothing is counted; REPORT_UNREAD: CPRNG_PRELOAD_REPORT was not read yet. */
extern struct preload_report *cprng_preload_report;
#define REPORT_UNREAD ((struct preload_report *)1)

/* Look at CPRNG_PRELOAD_REPORT, unless another caller did, and return the counters. */
struct preload_report *cprng_preload_open_report(void);

static inline void count(enum counted what, size_t bytes)
{
	struct preload_report *r = __atomic_load_n(&cprng_preload_report, __ATOMIC_RELAXED);

	if (__builtin_expect(r != NULL, 0)) {
		/* A constructor of another library draws before this one's. */
		if (r == REPORT_UNREAD)
			r = cprng_preload_open_report();
		if (r == NULL)
			return;
		(void)__atomic_fetch_add(&r->count[what].calls, 1, __ATOMIC_RELAXED);
		(void)__atomic_fetch_add(&r->count[what].bytes, bytes, __ATOMIC_RELAXED);
	}
}

#endif
