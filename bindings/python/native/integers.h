/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of uniform integers. */
#ifndef CPRNG_PYTHON_INTEGERS_H
#define CPRNG_PYTHON_INTEGERS_H

#include <cprng/cprng.h>

#include "parts.h"

struct integers {
	cprng_stream *stream; /* NULL: draws */
	void *out;
	size_t size; /* of an element: 1, 2, 4 or 8 bytes, which hold the low bits of the sum */
	size_t count;
	uint64_t low, bound; /* numbers are low + [0, bound), modulo 2^64; bound 0 means 2^64 */
	ssize_t threads;     /* as for parts_for() */
	/* For integers.c. */
	uint64_t refused;    /* low halves below this one are rejected */
	unsigned char *from; /* where the parts begin */
};

/*
 * Fill the array in so many parts.  The numbers are, for any number of parts, what as many calls of cprng_uniform64() or
 * cprng_stream_uniform64() return (docs/streams-specification.md), plus low; the stream stands behind the last word that
 * was taken.  Returns 0 or an error of the library.
 */
int integers_fill(struct integers *job, size_t parts);

#endif
