/* SPDX-License-Identifier: BSD-2-Clause */
/* The set-up of the process. */
#ifndef CPRNG_PROCESS_PROCESS_H
#define CPRNG_PROCESS_PROCESS_H

#include "process/state.h"

/*
 * Return the process's set-up, made by the first caller.  Aborts when memory or every backend fails.  For src/api/ and
 * the tests: everything below takes the set-up as an argument.
 */
struct cprng_process *cprng_process(void);

#endif
