/* SPDX-License-Identifier: BSD-2-Clause */
/* Works on an array in parts, one thread per part; and, in integers.c, arrays of uniform integers. */
#ifndef CPRNG_PYTHON_PARTS_H
#define CPRNG_PYTHON_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <cprng/cprng.h>

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

/* A fill of the library from the stream s or, if that is NULL, from draws. */
#define FILL(name, ...) (s == NULL ? cprng_fill_##name(__VA_ARGS__) : cprng_stream_fill_##name(s, __VA_ARGS__))

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
