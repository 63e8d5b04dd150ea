/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counters of calls and bytes, of all processes that have the same file in CPRNG_PRELOAD_REPORT.  `cprng run --report` makes
 * that file, and prints the counters at the end: so they include processes that end by _exit(2), execve(2) or a signal.
 * With '-' before the name, as `cprng run` has it, a file that does not exist is no error: it is removed in the end, and
 * processes that go on may start programs later.
 */
#ifndef CPRNG_PRELOAD_REPORT_H
#define CPRNG_PRELOAD_REPORT_H

#include <stddef.h>
#include <stdint.h>

/* The file: 4096 bytes, of which these are the first, in the byte order of the machine. */
enum counted {
	ARC4RANDOM,
	ARC4RANDOM_BUF,
	ARC4RANDOM_UNIFORM,
	GETENTROPY,
	GETRANDOM,
	KERNEL, /* calls of getentropy and getrandom that were left to the kernel; counted in the row of their function, too */
	COUNTED
};

enum {
	REPORT_SIZE = 4096,
	/* Of what follows: another number wherever it changes. */
	REPORT_LAYOUT = 1,
};

struct preload_report {
	uint64_t processes; /* images: a process counts again after each execve(2), a forked child does not */
	uint64_t layout;    /* REPORT_LAYOUT; 0 in a file that was made by hand: the library's, whichever it is */
	struct {
		uint64_t calls, bytes;
	} count[COUNTED];
};

extern struct preload_report *cprng_preload_report; /* NULL: nothing is counted */

static inline void count(enum counted what, size_t bytes)
{
	struct preload_report *r = __atomic_load_n(&cprng_preload_report, __ATOMIC_RELAXED);

	if (__builtin_expect(r != NULL, 0)) {
		(void)__atomic_fetch_add(&r->count[what].calls, 1, __ATOMIC_RELAXED);
		(void)__atomic_fetch_add(&r->count[what].bytes, bytes, __ATOMIC_RELAXED);
	}
}

#endif
