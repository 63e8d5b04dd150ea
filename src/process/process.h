/* SPDX-License-Identifier: BSD-2-Clause */
/* The set-up of the process. */
#ifndef CPRNG_PROCESS_PROCESS_H
#define CPRNG_PROCESS_PROCESS_H

#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

/* Only for the function below. */
extern struct cprng_process *cprng_the_process;
struct cprng_process *cprng_process_set_up(void);

/*
 * Return the process's set-up, made by the first caller.  Aborts when memory or every backend fails.  For src/api/ and
 * the tests: everything below takes the set-up as an argument.
 */
CPRNG_INLINE struct cprng_process *cprng_process(void)
{
	struct cprng_process *p = __atomic_load_n(&cprng_the_process, __ATOMIC_ACQUIRE);

	return CPRNG_LIKELY(p != NULL) ? p : cprng_process_set_up();
}

/*
 * 4K aliasing.  A CPU first compares a load with pending stores by the low 12 bits of their addresses.  On an AMD Zen 3 a load
 * whose bits match a store waits for it, in about one of sixteen pairs of pages, and the next loads of the same instruction
 * wait as well: draws in a loop took 3.1 ns instead of 2.2, for the life of the process (0032).
 */
enum {
	CPRNG_ALIAS_PAGE = 4096, /* 2^12, whatever the system's page is */
	CPRNG_ALIAS_LINE = 64,
};

/*
 * Return an offset from the start of a page, a multiple of CPRNG_ALIAS_LINE below CPRNG_ALIAS_PAGE: the least one at which
 * `stored` bytes, fewer than a page, alias none of the lines of the n addresses that every draw loads from; or, if there is
 * none, one that aliases the fewest lines.
 */
size_t cprng_offset_without_aliases(const void *const *loaded, size_t n, size_t stored);

CPRNG_END_DECLARATIONS

#endif
