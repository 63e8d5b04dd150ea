/* SPDX-License-Identifier: BSD-2-Clause */
/* The set-up of the process. */
#ifndef CPRNG_PROCESS_PROCESS_H
#define CPRNG_PROCESS_PROCESS_H

#include "process/state.h"

/* For the function below alone. */
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

#endif
