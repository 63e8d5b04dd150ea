/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounded integers, shuffles and samples from draws. */
#include <cprng/cprng.h>

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "numbers/choices.h"
#include "os/os.h"
#include "process/generation.h"
#include "process/process.h"

CPRNG_CLEARS static uint64_t draw_u64(void *none)
{
	(void)none;
	return cprng_fast64();
}

CPRNG_CLEARS static uint32_t draw_uniform32(void *none, uint32_t bound)
{
	(void)none;
	return cprng_uniform32(bound);
}

CPRNG_CLEARS static uint64_t draw_uniform64(void *none, uint64_t bound)
{
	return cprng_choose64(draw_uniform32, draw_u64, none, bound);
}

CPRNG_CLEARS uint64_t cprng_uniform64(uint64_t bound)
{
	return draw_uniform64(NULL, bound);
}

CPRNG_CLEARS uint64_t cprng_range64(uint64_t lo, uint64_t hi)
{
	return cprng_choose_between(draw_uniform64, draw_u64, NULL, lo, hi);
}

CPRNG_CLEARS int64_t cprng_int_range(int64_t lo, int64_t hi)
{
	return cprng_choose_between_signed(draw_uniform64, draw_u64, NULL, lo, hi);
}

/*
 * The functions that turn words into indexes have frames of up to 330 bytes (gcc, i386), and what remains of a word reveals its
 * indexes.  Draws wipe their own frames.
 */
CPRNG_DEFINE_WIPE_STACK(choices_wipe_stack, uint64_t, 64)

/* The sort counts digits, in a frame of 1.1 KiB; above it are two that have some of the integers. */
CPRNG_DEFINE_WIPE_STACK(choices_wipe_stack_of_sort, uint64_t, 192)

/*
 * Event:    a signal handler forks, or invalidates the process, between the draw of words and the last exchange by them.
 * Reason:   parent and child would continue with the same choices, or with choices from before the invalidation.
 * Pairing:  each exchange first compares the generation; after a change, new words are drawn for the remaining elements.  Without
 *           a generation, one word is drawn per exchange.
 */
struct choices {
	const cprng_atomic64 *generation;
	uint64_t expected;
	uint64_t block[CPRNG_ORDER_BLOCK];
};

/* Draw words, and make indexes below bound, bound - 1, and so on to 2 of them.  Return the number of indexes. */
CPRNG_CLEARS static size_t draw_indexes(struct cprng_process *p, struct choices *c, uint64_t bound)
{
	static const cprng_atomic64 none = CPRNG_NO_GENERATION;
	const uint64_t generation = cprng_generation(p);
	const bool ahead = generation != CPRNG_NO_GENERATION;
	const unsigned int per_word = ahead ? cprng_order_per_word(bound) : 1;
	const size_t words = ahead ? cprng_order_words(bound, per_word) : 1;

	c->generation = ahead ? &p->fork_state->generation : &none;
	c->expected = generation;
	cprng_fast(cprng_order_words_of(c->block, words, per_word), words * sizeof(c->block[0]));
	return cprng_order_choose(c->block, words, bound, per_word);
}

/* Used words and indexes are already erased, rejected words and those left over are not. */
CPRNG_INLINE void wipe_choices(struct choices *c)
{
	choices_wipe_stack();
	cprng_wipe(c, sizeof(*c));
}

CPRNG_CLEARS CPRNG_NOINLINE static void choose_order(struct cprng_process *p, void *base, size_t count, size_t size)
{
	struct choices c;

	while (count > 1) {
		const size_t made = draw_indexes(p, &c, count);

		count -= cprng_order_exchange(base, count, size, c.block, made, c.generation, c.expected);
	}
	wipe_choices(&c);
}

CPRNG_CLEARS CPRNG_NOINLINE static void choose_by_scan(struct cprng_process *p, uint64_t *out, size_t k, uint64_t n)
{
	struct cprng_selection set = { out, k, 0, n, 0 };
	struct choices c;

	/* If any of the last integers are needed, all are. */
	while (set.k - set.have < n - set.next && set.have < set.k) {
		const size_t made = draw_indexes(p, &c, n - set.next);

		cprng_select(&set, c.block, made, c.generation, c.expected);
	}
	while (set.have < set.k)
		out[set.have++] = set.next++;
	wipe_choices(&c);
}

/* Draw as many integers as are missing, until k are distinct: duplicates are rare if k is much smaller than n. */
CPRNG_CLEARS CPRNG_NOINLINE static void choose_by_rounds(uint64_t *out, size_t k, uint64_t n)
{
	for (size_t have = 0; have < k;) {
		(void)!cprng_fill_uniform64(out + have, k - have, n);
		have = cprng_sort_distinct(out, have, k, n);
	}
	choices_wipe_stack_of_sort();
}

/* Where the times meet: for 1,000 of 8,000 integers a scan takes 44 ns for each of the sample, and rounds take 55 (Zen 3, busy). */
enum { SCAN_MAX = 8 };

CPRNG_CLEARS int cprng_sample(uint64_t *out, size_t k, uint64_t n)
{
	if (k > n || (out == NULL && k != 0) || k > SIZE_MAX / sizeof(*out) || !cprng_has_end(out, k * sizeof(*out)))
		return CPRNG_ERR_ARGUMENT;
	if (k > n / SCAN_MAX)
		choose_by_scan(cprng_process(), out, k, n);
	else
		choose_by_rounds(out, k, n);
	cprng_shuffle(out, k, sizeof(*out));
	return CPRNG_OK;
}

CPRNG_CLEARS void cprng_shuffle(void *base, size_t count, size_t size)
{
	if (size != 0 && (count > SIZE_MAX / size || !cprng_has_end(base, count * size)))
		cprng_os_die(CPRNG_NO_END, 0);
	if (count < 2 || size == 0)
		return;
	choose_order(cprng_process(), base, count, size);
}
