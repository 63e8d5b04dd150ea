/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers/scatter.h"

#include "numbers/choices.h"

CPRNG_CLEARS void cprng_scatter_begin(struct cprng_scatter *s, void *base, size_t count, size_t size)
{
	const size_t each = count / CPRNG_SCATTER_BUCKETS, more = count % CPRNG_SCATTER_BUCKETS;

	s->base = base;
	s->size = size;
	for (size_t b = 0; b <= CPRNG_SCATTER_BUCKETS; b++)
		s->begin[b] = b * each + (b < more ? b : more);
	for (size_t b = 0; b < CPRNG_SCATTER_BUCKETS; b++) {
		s->at[b] = s->begin[b];
		s->number[b] = 0;
	}
}

/*
 * `constant` is the size where the compiler knows it, otherwise 0.  An element of such a size is exchanged in registers: it is
 * taken out of segment 0, and the last placed element of that segment fills the hole in the end.
 */
CPRNG_INLINE bool place_elements(struct cprng_scatter *s, size_t constant, uint8_t *random, size_t count,
				 const cprng_atomic64 *generation, uint64_t expected)
{
	const size_t size = constant != 0 ? constant : s->size;
	unsigned char *const hole = s->base + s->at[0] * size;
	unsigned char hand[16], other[16];
	bool more = s->at[0] + 1 < s->begin[1];

	if (constant != 0)
		memcpy(hand, hole, constant);
	s->at[0]++;
	for (size_t i = 0; i < count && more; i++) {
		const size_t b = random[i] % CPRNG_SCATTER_BUCKETS, at = s->at[b];
		unsigned char *next = s->base + at * size;

		if (CPRNG_UNLIKELY(__atomic_load_n(generation, __ATOMIC_RELAXED) != expected))
			break;
		random[i] = 0;
		if (constant != 0) {
			memcpy(other, next, constant);
			memcpy(next, hand, constant);
			memcpy(hand, other, constant);
		} else {
			cprng_swap(hole, next, size);
		}
		s->at[b] = at + 1;
		more = at + 1 < s->begin[b + 1];
	}
	s->at[0]--;
	if (constant != 0)
		memcpy(hole, hand, constant);
	cprng_swap(hole, s->base + s->at[0] * size, size);
	return more;
}

CPRNG_CLEARS CPRNG_NOINLINE bool cprng_scatter_place(struct cprng_scatter *s, uint8_t *random, size_t count,
						     const cprng_atomic64 *generation, uint64_t expected)
{
	switch (s->size) {
	case 4:
		return place_elements(s, 4, random, count, generation, expected);
	case 8:
		return place_elements(s, 8, random, count, generation, expected);
	case 16:
		return place_elements(s, 16, random, count, generation, expected);
	default:
		return place_elements(s, 0, random, count, generation, expected);
	}
}

CPRNG_CLEARS size_t cprng_scatter_left(const struct cprng_scatter *s)
{
	size_t left = 0;

	for (size_t b = 0; b < CPRNG_SCATTER_BUCKETS; b++)
		left += s->begin[b + 1] - s->at[b];
	return left;
}

CPRNG_CLEARS CPRNG_NOINLINE size_t cprng_scatter_count(struct cprng_scatter *s, uint8_t *random, size_t count,
						       const cprng_atomic64 *generation, uint64_t expected)
{
	size_t i;

	for (i = 0; i < count; i++) {
		if (CPRNG_UNLIKELY(__atomic_load_n(generation, __ATOMIC_RELAXED) != expected))
			break;
		s->number[random[i] % CPRNG_SCATTER_BUCKETS]++;
		random[i] = 0;
	}
	return i;
}

/*
 * Move bucket b's placed elements from their segment to begin[b] of the final sizes.  Its first or last elements suffice, since
 * the order within a bucket does not matter.  Elements without a bucket come from there.
 */
CPRNG_INLINE void move_bucket(struct cprng_scatter *s, size_t from, size_t to, size_t placed)
{
	const size_t distance = from < to ? to - from : from - to, moved = distance < placed ? distance : placed;

	if (from < to)
		cprng_swap(s->base + from * s->size, s->base + (to + placed - moved) * s->size, moved * s->size);
	else
		cprng_swap(s->base + (from + placed - moved) * s->size, s->base + to * s->size, moved * s->size);
}

CPRNG_CLEARS void cprng_scatter_resize(struct cprng_scatter *s)
{
	size_t end = s->begin[CPRNG_SCATTER_BUCKETS];

	/* `number` becomes the beginning of the bucket. */
	for (size_t b = CPRNG_SCATTER_BUCKETS; b-- > 0;)
		end = s->number[b] = end - (s->at[b] - s->begin[b]) - s->number[b];
	/* Up from the last bucket to the first, down the other way: no element moves over a placed one. */
	for (size_t b = CPRNG_SCATTER_BUCKETS; b-- > 0;) {
		if (s->number[b] > s->begin[b])
			move_bucket(s, s->begin[b], s->number[b], s->at[b] - s->begin[b]);
	}
	for (size_t b = 0; b < CPRNG_SCATTER_BUCKETS; b++) {
		const size_t placed = s->at[b] - s->begin[b];

		if (s->number[b] < s->begin[b])
			move_bucket(s, s->begin[b], s->number[b], placed);
		s->at[b] = s->number[b] + placed;
		s->begin[b] = s->number[b];
	}
	/* `number` becomes the number of the first element of each segment among those without a bucket. */
	for (size_t b = 0, left = 0; b < CPRNG_SCATTER_BUCKETS; b++) {
		s->number[b] = left;
		left += s->begin[b + 1] - s->at[b];
	}
}

/* Return the address of element i of those without a bucket. */
CPRNG_INLINE unsigned char *unplaced_element(const struct cprng_scatter *s, size_t i)
{
	size_t b = 0;

	/* The last bucket whose first is not above i: a search by halves, without branches. */
	for (size_t half = CPRNG_SCATTER_BUCKETS / 2; half > 0; half /= 2)
		b += s->number[b + half] <= i ? half : 0;
	return s->base + (s->at[b] + (i - s->number[b])) * s->size;
}

CPRNG_CLEARS CPRNG_NOINLINE size_t cprng_scatter_exchange(struct cprng_scatter *s, size_t left, uint64_t *index,
							  size_t indexes, const cprng_atomic64 *generation,
							  uint64_t expected)
{
	size_t i;

	for (i = 0; i < indexes; i++) {
		const size_t chosen = (size_t)index[i];

		if (CPRNG_UNLIKELY(__atomic_load_n(generation, __ATOMIC_RELAXED) != expected))
			break;
		index[i] = 0;
		cprng_swap(unplaced_element(s, chosen), unplaced_element(s, left - 1 - i), s->size);
	}
	return i;
}
