/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounded integers, shuffles and samples from draws. */
#include <cprng/cprng.h>

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "cpu/registers.h"
#include "numbers/choices.h"
#include "numbers/scatter.h"
#include "os/os.h"
#include "process/generation.h"
#include "process/process.h"

CPRNG_INLINE uint64_t draw_u64(void *none)
{
	(void)none;
	return cprng_fast64();
}

CPRNG_INLINE uint32_t draw_uniform32(void *none, uint32_t bound)
{
	(void)none;
	return cprng_uniform32(bound);
}

CPRNG_INLINE uint64_t draw_uniform64(void *none, uint64_t bound)
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
 * The functions that turn words into indexes have frames of up to 470 bytes together (gcc, i386), and what remains of a word
 * reveals its indexes.  Draws wipe their own frames.
 */
CPRNG_DEFINE_WIPE_STACK(choices_wipe_stack, uint64_t, 64)

/* The sort counts digits, in a frame of 1.1 KiB; above it are two that have some of the integers. */
CPRNG_DEFINE_WIPE_STACK(choices_wipe_stack_of_sort, uint64_t, 192)

/*
 * Event:    a signal handler forks, or invalidates the process, between the draw of words and the last exchange by them.
 * Reason:   parent and child would continue with the same choices, or with choices from before the invalidation.
 * Pairing:  each exchange first compares the generation; after a change, new words are drawn for the remaining elements.  Without
 *           a generation, one word is drawn per exchange.  A sample by a table likewise compares before each integer, and
 *           needs a generation.
 */
struct choices {
	const cprng_atomic64 *generation;
	uint64_t expected;
	uint64_t block[CPRNG_ORDER_BLOCK] __attribute__((aligned(64)));
};

/* Note the generation of the choices that are drawn next.  Return false if there is none. */
CPRNG_CLEARS static bool expect_generation(struct cprng_process *p, const cprng_atomic64 **generation,
					   uint64_t *expected)
{
	static const cprng_atomic64 none = CPRNG_NO_GENERATION;

	*expected = cprng_generation(p);
	*generation = *expected != CPRNG_NO_GENERATION ? &p->fork_state->generation : &none;
	return *expected != CPRNG_NO_GENERATION;
}

/* Draw words, and make indexes below bound, bound - 1, and so on to 2 of them.  Return the number of indexes. */
CPRNG_CLEARS static size_t draw_indexes(struct cprng_process *p, struct choices *c, uint64_t bound)
{
	const bool ahead = expect_generation(p, &c->generation, &c->expected);
	const unsigned int per_word = ahead ? cprng_order_per_word(bound) : 1;
	const size_t words = ahead ? cprng_order_words(bound, per_word) : 1;

	cprng_fast(cprng_order_words_of(c->block, words, per_word), words * sizeof(c->block[0]));
	return cprng_order_choose(c->block, words, bound, per_word);
}

/* Used words and indexes are already erased, rejected words and those left over are not. */
CPRNG_INLINE void wipe_choices(struct choices *c)
{
	choices_wipe_stack();
	cprng_wipe_lines(c, sizeof(*c));
}

/* Choose the elements of the last `chosen` places. */
CPRNG_CLEARS CPRNG_NOINLINE static void choose_order(struct cprng_process *p, void *base, size_t count, size_t size,
						     size_t chosen)
{
	const size_t rest = count - chosen > 1 ? count - chosen : 1;
	struct choices c;

	while (count > rest) {
		const size_t made = draw_indexes(p, &c, count), used = made < count - rest ? made : count - rest;

		count -= cprng_order_exchange(base, count, size, c.block, used, c.generation, c.expected);
	}
	wipe_choices(&c);
}

/* Draw at most `most` random bytes into the block.  Return their number. */
CPRNG_CLEARS static size_t draw_random_bytes(struct cprng_process *p, struct choices *c, size_t most)
{
	const bool ahead = expect_generation(p, &c->generation, &c->expected);
	const size_t room = ahead ? sizeof(c->block) : 1, len = most < room ? most : room;

	cprng_fast(c->block, len);
	return len;
}

/* Group the elements by buckets, and set begin to the buckets and their end, in elements. */
CPRNG_CLEARS CPRNG_NOINLINE static void scatter_by_draws(struct cprng_process *p, void *base, size_t size,
							 size_t *begin)
{
	struct cprng_scatter s;
	struct choices c;
	size_t drawn, left;

	cprng_scatter_begin(&s, base, begin[CPRNG_SCATTER_BUCKETS], size);
	do
		drawn = draw_random_bytes(p, &c, SIZE_MAX);
	while (cprng_scatter_place(&s, (uint8_t *)c.block, drawn, c.generation, c.expected));
	for (left = cprng_scatter_left(&s); left > 0;) {
		drawn = draw_random_bytes(p, &c, left);
		left -= cprng_scatter_count(&s, (uint8_t *)c.block, drawn, c.generation, c.expected);
	}
	left = cprng_scatter_left(&s);
	cprng_scatter_resize(&s);
	while (left > 1) {
		const size_t made = draw_indexes(p, &c, left);

		left -= cprng_scatter_exchange(&s, left, c.block, made, c.generation, c.expected);
	}
	memcpy(begin, s.begin, sizeof(s.begin));
	wipe_choices(&c);
	cprng_wipe(&s, sizeof(s));
}

/*
 * The sizes in bytes from which an array, and a bucket of one, is scattered: where the times meet.  On a Zen 3 with 32 MiB of
 * cache, 20 million elements of 8 bytes took 22 ns each when buckets below 16 MiB were not scattered, and 18 with 1 MiB.
 */
enum { SCATTER_MIN = 1 << 25, SCATTER_BUCKET_MIN = 1 << 20 };

/* An element is a small part of a bucket. */
enum { SCATTER_COUNT_MIN = 1 << 12 };

CPRNG_CLEARS static void order_by_size(struct cprng_process *p, unsigned char *base, size_t count, size_t size,
				       size_t scatter_min)
{
	size_t begin[CPRNG_SCATTER_BUCKETS + 1];

	if (count * size < scatter_min || count < SCATTER_COUNT_MIN) {
		choose_order(p, base, count, size, count);
		return;
	}
	begin[CPRNG_SCATTER_BUCKETS] = count;
	scatter_by_draws(p, base, size, begin);
	/* The depth is the logarithm of the size, to the base of CPRNG_SCATTER_BUCKETS. */
	for (size_t b = 0; b < CPRNG_SCATTER_BUCKETS; b++)
		order_by_size(p, base + begin[b] * size, begin[b + 1] - begin[b], size, SCATTER_BUCKET_MIN);
	cprng_wipe(begin, sizeof(begin));
}

/*
 * Choose k integers, in random order: the last k places of a shuffle of all n, whose elements of `size` bytes (2 or 4) are in out.
 */
CPRNG_CLEARS CPRNG_NOINLINE static void choose_by_order(struct cprng_process *p, uint64_t *out, size_t k, size_t n,
							size_t size)
{
	uint8_t *const narrow = (uint8_t *)out;
	const uint64_t ones = size == 2 ? UINT64_C(0x0001000100010001) : UINT64_C(0x0000000100000001);
	const uint32_t mask = size == 2 ? UINT16_MAX : UINT32_MAX;
	uint64_t word = size == 2 ? UINT64_C(0x0003000200010000) : UINT64_C(0x0000000100000000);
	size_t i;

	for (i = 0; i * (8 / size) < n; i++, word += 8 / size * ones)
		cprng_store_le64(narrow + 8 * i, word);
	if (n < SCATTER_MIN / size)
		choose_order(p, narrow, n, size, k);
	else
		order_by_size(p, narrow, n, size, SCATTER_MIN);
	memmove(narrow, narrow + (n - k) * size, k * size);
	i = k;
	/*
	 * From the last on, in place.  Four at a time: a loop of single ones takes 1.1 times as long where it crosses a line of
	 * code.  The last loop loads 4 bytes of 2, too: they are in out, and not written yet.
	 */
	for (; size == 2 && i >= 4; i -= 4) {
		word = cprng_load_le64(narrow + 2 * (i - 4));
		out[i - 1] = word >> 48;
		out[i - 2] = word >> 32 & UINT16_MAX;
		out[i - 3] = word >> 16 & UINT16_MAX;
		out[i - 4] = word & UINT16_MAX;
	}
	while (i-- > 0)
		out[i] = cprng_load_le32(narrow + i * size) & mask;
	cprng_clear_registers(); /* memmove() uses those that it chooses */
}

/* Choose k integers, in random order.  Return false, and choose none, if out has no room for the table. */
CPRNG_CLEARS CPRNG_NOINLINE static bool choose_by_table(struct cprng_process *p, uint64_t *out, size_t k, uint64_t n)
{
	struct cprng_distinct set;
	const cprng_atomic64 *generation;
	uint64_t expected;

	if (!cprng_distinct_begin(&set, out, k, n) || !expect_generation(p, &generation, &expected))
		return false;
	(void)!cprng_fill_uniform64(out, k, n);
	cprng_distinct_take(&set, generation, expected);
	while (set.have < k)
		cprng_distinct_add(&set, draw_uniform64(NULL, n));
	cprng_distinct_end(&set);
	choices_wipe_stack();
	return true;
}

/* Choose k integers, in an order that is not random. */
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

/*
 * Choose k integers, in an order that is not random.  Draw as many as are missing, until k are distinct: duplicates are rare if k
 * is much smaller than n.
 */
CPRNG_CLEARS CPRNG_NOINLINE static void choose_by_rounds(uint64_t *out, size_t k, uint64_t n)
{
	for (size_t have = 0; have < k;) {
		(void)!cprng_fill_uniform64(out + have, k - have, n);
		have = cprng_sort_distinct(out, have, k, n);
	}
	choices_wipe_stack_of_sort();
}

/*
 * Where the times meet, in ns for each of the sample (Zen 3, busy).  For 100,000 of 300,000 integers a scan takes 24 and a table
 * 30, for 100,000 of 420,000 they take 31 and 25.  For 1,000 of 8,000 a scan takes 44 and rounds take 55.
 */
enum { TABLE_MIN = 4, SCAN_MAX = 8 };

CPRNG_CLEARS int cprng_sample(uint64_t *out, size_t k, uint64_t n)
{
	struct cprng_process *p;

	if (k > n || (out == NULL && k != 0) || k > SIZE_MAX / sizeof(*out) || !cprng_has_end(out, k * sizeof(*out)))
		return CPRNG_ERR_ARGUMENT;
	if (k == 0)
		return CPRNG_OK;
	p = cprng_process();
	if (n <= 4 * (uint64_t)k && n <= UINT64_C(1) << 16) {
		choose_by_order(p, out, k, (size_t)n, 2);
	} else if (n <= 2 * (uint64_t)k && n <= UINT32_MAX) {
		choose_by_order(p, out, k, (size_t)n, 4);
	} else if (k > n / TABLE_MIN || !choose_by_table(p, out, k, n)) {
		if (k > n / SCAN_MAX)
			choose_by_scan(p, out, k, n);
		else
			choose_by_rounds(out, k, n);
		cprng_shuffle(out, k, sizeof(*out));
	}
	return CPRNG_OK;
}

CPRNG_CLEARS void cprng_shuffle(void *base, size_t count, size_t size)
{
	if (size != 0 && (count > SIZE_MAX / size || !cprng_has_end(base, count * size)))
		cprng_os_die(CPRNG_NO_END, 0);
	if (count < 2 || size == 0)
		return;
	order_by_size(cprng_process(), base, count, size, SCATTER_MIN);
}
