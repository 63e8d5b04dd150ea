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
	/* For integers.c. */
	uint64_t refused;    /* low halves below this one are rejected */
	unsigned char *from; /* the parts' beginnings */
};

/*
 * Fill the array in that many parts.  For any number of parts, the numbers are equal to what cprng_uniform64() or
 * cprng_stream_uniform64() return for as many calls (docs/streams-specification.md), plus low; afterwards the stream is
 * positioned after the last word used.  Returns 0 or an error of the library.
 */
int integers_fill(struct integers *job, size_t parts);

/* One number of a stream, which may end before; bound as above. */
int integers_careful(cprng_stream *stream, uint64_t bound, uint64_t *number);

/*
 * One number of [0, bound), bound 0 meaning 2^64, of a stream or, if that is NULL, of draws.  far: of the stream
 * (core_stream_is_far).  Returns 0 or an error of the library.
 */
static inline int integers_one(cprng_stream *stream, bool far, uint64_t bound, uint64_t *number)
{
	if (far)
		return integers_careful(stream, bound, number);
	if (stream == NULL)
		*number = bound == 0 ? cprng_fast64() : cprng_uniform64(bound);
	else
		*number = bound == 0 ? cprng_stream_u64(stream) : cprng_stream_uniform64(stream, bound);
	return 0;
}

#endif
