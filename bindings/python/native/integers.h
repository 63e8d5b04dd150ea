/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of uniform integers. */
#ifndef CPRNG_PYTHON_INTEGERS_H
#define CPRNG_PYTHON_INTEGERS_H

#include <cprng/cprng.h>

#include "parts.h"

struct integers {
	cprng_stream *stream; /* NULL: draws */
	void *out;
	size_t size; /* an element's: 1, 2, 4 or 8 bytes, which hold the sum's low bits */
	size_t count;
	uint64_t low, bound; /* numbers are low + [0, bound), modulo 2^64; bound 0 means 2^64 */
	ssize_t threads;     /* as for parts_for() */
	/* Used by integers.c only. */
	uint64_t refused;    /* words whose product has a low half below this are rejected */
	unsigned char *from; /* where this round's numbers begin */
};

/*
 * Fill the array in that many parts.  The numbers do not depend on their number: they are what as many calls of
 * cprng_uniform64() or cprng_stream_uniform64() return (docs/streams-specification.md), plus low.  Afterwards the stream
 * stands after the last word used.  Returns 0 or an error of the library.
 */
int integers_fill(struct integers *job, size_t parts);

#endif
