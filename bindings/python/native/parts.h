/* SPDX-License-Identifier: BSD-2-Clause */
/* Works on an array in parts, one thread per part. */
#ifndef CPRNG_PYTHON_PARTS_H
#define CPRNG_PYTHON_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PARTS_MAX 64

struct part {
	size_t begin, end; /* elements */
	size_t result;     /* the work's result */
};

/* Does its part; returns 0 or an error of the library. */
typedef int part_work(void *job, struct part *part);

/* The useful number of parts for that many bytes; if wanted > 0, that number, at most PARTS_MAX. */
size_t parts_for(size_t bytes, ssize_t wanted);

/*
 * Divide count elements into that many parts, and do each.  The calling thread does the last one, and any for which no
 * thread can be started.  The threads end before the function returns, because a program may fork between two calls.
 * done, if not NULL, receives the parts and has room for PARTS_MAX.  Returns 0 or the first error.
 */
int run_parts(part_work *work, void *job, struct part *done, size_t count, size_t parts);

#endif
