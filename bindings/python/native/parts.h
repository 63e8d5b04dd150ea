/* SPDX-License-Identifier: BSD-2-Clause */
/* Work on an array in parts, one thread for each. */
#ifndef CPRNG_PYTHON_PARTS_H
#define CPRNG_PYTHON_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PARTS_MAX 64

struct part {
	size_t begin, end; /* elements */
	size_t result;     /* what the work has to tell */
};

/* Does its part; returns 0 or an error of the library. */
typedef int part_work(void *job, struct part *part);

/* How many parts are worth their threads for so many bytes; wanted above 0: that many, within bounds. */
size_t parts_for(size_t bytes, ssize_t wanted);

/*
 * Divide count elements into so many parts, and do each.  The last is the caller's thread's, as is a part for which there
 * is no thread.  The threads live for the call: a program may fork between any two.  done, if not NULL, gets the parts, of
 * which it has PARTS_MAX.  Returns 0 or the first error.
 */
int run_parts(part_work *work, void *job, struct part *done, size_t count, size_t parts);

#endif
