/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shuffles of arrays larger than a cache, in place, with memory accessed in order (C. R. Rao, "Generation of random permutations
 * of given number of elements using random sampling numbers", 1961; R. Sandelius, "A simple randomization procedure", 1962):
 * each element gets a bucket, uniform and independent of the others; the elements are grouped by bucket; each group is shuffled.
 *
 * All orders are equally likely.  Given the sizes of the groups, all divisions of the elements among them are equally likely, and
 * so are all orders within each group; and each order of the whole comes from exactly one division and one order of each group.
 *
 * The array is divided into segments of equal size, one for each bucket.  An element that gets bucket b is exchanged with the first
 * element of segment b that has no bucket yet, and that element is next.  So earlier buckets decide which element is next, but not
 * which bucket it gets: buckets are independent.  When a segment is full, few elements are left (M. Penschuck, "Engineering
 * shared-memory parallel shuffling to generate random permutations in-place", 2023, begins in the same way).  Their
 * buckets are drawn, but only counted; the segments get their final sizes; and a Fisher-Yates shuffle puts these elements into the
 * places that are left, since all divisions with the same counts are equally likely.
 */
#ifndef CPRNG_NUMBERS_SCATTER_H
#define CPRNG_NUMBERS_SCATTER_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

/* So few that a processor prefetches all segments: a scatter into 32 took twice as long (Zen 3). */
enum { CPRNG_SCATTER_BUCKETS = 16 };

struct cprng_scatter {
	unsigned char *base;
	size_t size;
	size_t begin[CPRNG_SCATTER_BUCKETS + 1]; /* of the segments, in elements, and the end of the last */
	size_t at[CPRNG_SCATTER_BUCKETS];        /* the first element of each segment that has no bucket yet */
	size_t number[CPRNG_SCATTER_BUCKETS];    /* of the elements without a bucket, those that get this one */
};

/* The array has at least one element. */
void cprng_scatter_begin(struct cprng_scatter *s, void *base, size_t count, size_t size);

/*
 * Place an element by each of the random bytes, and erase them.  Stop before the next element once *generation is not `expected`.
 * Return false if a segment is full.
 */
bool cprng_scatter_place(struct cprng_scatter *s, uint8_t *random, size_t count, const cprng_atomic64 *generation,
			 uint64_t expected);

/* Return the number of elements that have no bucket. */
size_t cprng_scatter_left(const struct cprng_scatter *s);

/*
 * Give `count` of them a bucket each, by the random bytes, and erase these.  Stop before the next one once *generation is not
 * `expected`.  Return the number of those that have a bucket now.
 */
size_t cprng_scatter_count(struct cprng_scatter *s, uint8_t *random, size_t count, const cprng_atomic64 *generation,
			   uint64_t expected);

/* Give the segments their final sizes, when all elements are counted. */
void cprng_scatter_resize(struct cprng_scatter *s);

/*
 * Exchange the last of the `left` elements with element index[0] of them, the one before it with element index[1], and so on;
 * erase the indexes.  Stop before the next exchange once *generation is not `expected`.  Return the number of exchanges.
 */
size_t cprng_scatter_exchange(struct cprng_scatter *s, size_t left, uint64_t *index, size_t indexes,
			      const cprng_atomic64 *generation, uint64_t expected);

CPRNG_END_DECLARATIONS

#endif
