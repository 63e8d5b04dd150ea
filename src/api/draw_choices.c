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

/*
 * Event:    a signal handler forks, or invalidates the process, between the draw of words and the last exchange by them.
 * Reason:   parent and child would continue with the same choices, or with choices from before the invalidation.
 * Pairing:  each exchange first compares the generation; after a change, new words are drawn for the remaining elements.  Without
 *           a generation, one word is drawn per exchange.
 */
CPRNG_CLEARS CPRNG_NOINLINE static void choose_order(struct cprng_process *p, void *base, size_t count, size_t size)
{
	static const cprng_atomic64 none = CPRNG_NO_GENERATION;
	uint64_t block[CPRNG_ORDER_BLOCK];

	while (count > 1) {
		const uint64_t generation = cprng_generation(p);
		const bool ahead = generation != CPRNG_NO_GENERATION;
		const unsigned int per_word = ahead ? cprng_order_per_word(count) : 1;
		const size_t words = ahead ? cprng_order_words(count, per_word) : 1;
		size_t made;

		cprng_fast(cprng_order_words_of(block, words, per_word), words * sizeof(block[0]));
		made = cprng_order_choose(block, words, count, per_word);
		count -= cprng_order_exchange(base, count, size, block, made,
					      ahead ? &p->fork_state->generation : &none, generation);
	}
	choices_wipe_stack();
	/* Used words and indexes are already erased, rejected words are not. */
	cprng_wipe(block, sizeof(block));
}

CPRNG_CLEARS int cprng_sample(uint64_t *out, size_t k, uint64_t n)
{
	if (k > n || (out == NULL && k != 0) || k > SIZE_MAX / sizeof(*out) || !cprng_has_end(out, k * sizeof(*out)))
		return CPRNG_ERR_ARGUMENT;
	cprng_choose_set(draw_uniform64, NULL, out, k, n);
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
