/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers/choices.h"

#include "core/bytes.h"
#include "numbers/numbers.h"

/*
 * Elements of larger arrays are prefetched before the exchanges.  In smaller ones, exchanges overlap each other's wait for the
 * second-level cache: with prefetches, arrays of 400 KB took 1.1 times as long, of 800 KB 1.0 to 1.2, of 1.2 MB 0.8 to 1.0, and
 * of 2.4 MB 0.7 (Zen 3, 512 KiB of second-level cache).
 */
#define PREFETCH_MIN ((size_t)1 << 20)

/* A table's places depend on each other, so smaller ones are prefetched, too. */
#define PREFETCH_TABLE_MIN ((size_t)1 << 17)

/*
 * Row n - 1: the largest first bound at which a word gives n indexes, and the largest product of their bounds, as powers of 2.  Of
 * the words that give two or more, at most one in 256 is compared with the product; fewer are rejected, each with its group.  More
 * indexes per word take longer than words they save.
 */
static const struct {
	uint8_t bound, product;
} limits[CPRNG_ORDER_PER_WORD_MAX] = { { 63, 63 }, { 28, 56 }, { 18, 54 }, { 14, 56 }, { 11, 55 }, { 9, 54 } };

CPRNG_CLEARS unsigned int cprng_order_per_word(uint64_t bound)
{
	unsigned int n = 1;

	while (n < CPRNG_ARRAY_SIZE(limits) && bound <= UINT64_C(1) << limits[n].bound)
		n++;
	return n;
}

/* Store the index below bound, and return the word for the next index. */
CPRNG_INLINE uint64_t choose_next(uint64_t word, uint64_t bound, uint64_t *index)
{
	const struct cprng_uint128 m = cprng_mul64(word, bound);

	*index = m.hi;
	return m.lo;
}

/*
 * Compute a word's indexes, `step` apart from each other, and so are their bounds, the first of which is >= indexes * step + 1.
 * Return false if the word is rejected.  This is no loop, because gcc 12 multiplies numbers of 128 bits in one.
 */
CPRNG_INLINE bool choose_by_word(uint64_t word, uint64_t bound, unsigned int indexes, size_t step, uint64_t limit,
				 uint64_t *index)
{
	uint64_t product = 1;

	word = choose_next(word, bound, index);
	if (indexes > 1)
		word = choose_next(word, bound - step, index + step);
	if (indexes > 2)
		word = choose_next(word, bound - 2 * step, index + 2 * step);
	if (indexes > 3)
		word = choose_next(word, bound - 3 * step, index + 3 * step);
	if (indexes > 4)
		word = choose_next(word, bound - 4 * step, index + 4 * step);
	if (indexes > 5)
		word = choose_next(word, bound - 5 * step, index + 5 * step);
	if (CPRNG_LIKELY(word >= limit))
		return true;
	for (unsigned int i = 0; i < indexes; i++)
		product *= bound - i * step;
	return word >= product || word >= -product % product;
}
_Static_assert(CPRNG_ORDER_PER_WORD_MAX == 6, "an index for each step");

/*
 * N. Brackett-Rozinsky and D. Lemire, "Batched ranged random integer generation" (2024, doi:10.1002/spe.3369): the high half of
 * word * bound is the first index, and the low half is the word for the next one.  Let B be the product of the bounds.  The
 * indexes are then the mixed-radix digits of the high half of word * B, and the last low half is the low half of word * B.
 * So this is the method of cprng_uniform32() for one number below B: the same words are rejected, and all combinations of
 * indexes are equally likely.
 *
 * So are those of a group if all its words are rejected with one of them, since each word decides only about itself.  Whether
 * vectors or single words make the indexes changes none of them.
 */
CPRNG_CLEARS CPRNG_NOINLINE size_t cprng_order_choose(uint64_t *block, size_t words, uint64_t bound,
						      unsigned int per_word)
{
	const struct cprng_numbers_backend *const numbers = cprng_numbers_first_usable();
	const uint64_t limit = per_word == 1 ? bound : UINT64_C(1) << limits[per_word - 1].product;
	uint64_t *const word = cprng_order_words_of(block, words, per_word);
	size_t made = 0;

	for (size_t i = 0, n; i < words; i += n) {
		const uint64_t rest = bound - made;
		const unsigned int indexes = rest > per_word ? per_word : (unsigned int)rest - 1;
		const bool whole = per_word > 1 && words - i >= CPRNG_ORDER_GROUP &&
				   rest > CPRNG_ORDER_GROUP * (uint64_t)per_word;
		bool accepted = true;

		n = 0;
		if (CPRNG_LIKELY(whole && numbers->indexes != NULL))
			n = numbers->indexes(block + made, word + i, words - i, rest, per_word,
					     (uint32_t)(limit >> 32));
		if (CPRNG_UNLIKELY(n == 0)) {
			n = whole ? CPRNG_ORDER_GROUP : 1;
			for (size_t j = 0; j < n; j++) {
				const uint64_t bits = word[i + j];

				word[i + j] = 0;
				accepted &= choose_by_word(bits, rest - j, indexes, n, limit, block + made + j);
			}
		}
		made += accepted ? n * indexes : 0;
	}
	return made;
}

CPRNG_INLINE bool is_past(const cprng_atomic64 *generation, uint64_t expected)
{
	return __atomic_load_n(generation, __ATOMIC_RELAXED) != expected;
}

/* So many indexes are erased together: one at a time, an exchange takes 1.2 times as long (Zen 5). */
enum { ERASED = 4 };

/* Exchange by n indexes, a constant up to ERASED.  `constant` is size where the compiler knows it, otherwise 0. */
CPRNG_INLINE size_t exchange_few(unsigned char *first, unsigned char *last, size_t size, size_t constant,
				 uint64_t *index, size_t n, const cprng_atomic64 *generation, uint64_t expected)
{
	size_t chosen[ERASED];

	_Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++) chosen[i] = (size_t)index[i];
	memset(index, 0, n * sizeof(*index));
	_Pragma("GCC unroll 4") for (size_t i = 0; i < n; i++)
	{
		unsigned char *const other = first + chosen[i] * size, *const place = last - i * size;

		if (CPRNG_UNLIKELY(is_past(generation, expected)))
			return i;
		if (constant == 0)
			cprng_swap(other, place, size);
		else
			cprng_swap_constant(other, place, constant < 16 ? constant : 16);
		if (constant > 16)
			cprng_swap_constant(other + 16, place + 16, constant - 16);
	}
	return n;
}

CPRNG_INLINE size_t exchange_chosen(unsigned char *first, size_t count, size_t size, size_t constant, uint64_t *index,
				    size_t indexes, const cprng_atomic64 *generation, uint64_t expected)
{
	unsigned char *const last = first + (count - 1) * size;
	size_t made = 0, n;

	for (n = ERASED; constant != 0 && n == ERASED && indexes - made >= ERASED; made += n)
		n = exchange_few(first, last - made * size, size, constant, index + made, ERASED, generation, expected);
	for (n = n == ERASED; n == 1 && made < indexes; made += n)
		n = exchange_few(first, last - made * size, size, constant, index + made, 1, generation, expected);
	return made;
}

CPRNG_CLEARS CPRNG_NOINLINE size_t cprng_order_exchange(void *base, size_t count, size_t size, uint64_t *index,
							size_t indexes, const cprng_atomic64 *generation,
							uint64_t expected)
{
	unsigned char *first = base;

	if (count * size > PREFETCH_MIN) {
		for (size_t i = 0; i < indexes; i++)
			__builtin_prefetch(first + (size_t)index[i] * size, 1);
	}
	switch (size) {
	case 1:
		return exchange_chosen(first, count, 1, 1, index, indexes, generation, expected);
	case 2:
		return exchange_chosen(first, count, 2, 2, index, indexes, generation, expected);
	case 4:
		return exchange_chosen(first, count, 4, 4, index, indexes, generation, expected);
	case 8:
		return exchange_chosen(first, count, 8, 8, index, indexes, generation, expected);
	case 16:
		return exchange_chosen(first, count, 16, 16, index, indexes, generation, expected);
	case 24:
		return exchange_chosen(first, count, 24, 24, index, indexes, generation, expected);
	default:
		return exchange_chosen(first, count, size, 0, index, indexes, generation, expected);
	}
}

CPRNG_CLEARS CPRNG_NOINLINE size_t cprng_order_choose_singly(uint64_t *block, size_t words, uint64_t bound)
{
	const uint8_t *word = cprng_order_single_words_of(block, words, bound);
	size_t made = 0;

	if (cprng_order_single_size(bound) == 8) {
		for (size_t i = 0; i < words; i++)
			made += choose_by_word(cprng_load_le64(word + 8 * i), bound - made, 1, 1, bound - made,
					       block + made);
		return made;
	}
	for (size_t i = 0; i < words; i++) {
		const uint32_t rest = (uint32_t)bound - (uint32_t)made;
		const uint64_t m = (uint64_t)cprng_load_le32(word + 4 * i) * rest;

		block[made] = m >> 32;
		made += (uint32_t)m >= rest || (uint32_t)m >= -rest % rest;
	}
	return made;
}

CPRNG_CLEARS CPRNG_NOINLINE void cprng_select(struct cprng_selection *set, uint64_t *index, size_t indexes,
					      const cprng_atomic64 *generation, uint64_t expected)
{
	for (size_t i = 0; i < indexes && set->have < set->k; i++) {
		const uint64_t chosen = index[i];

		if (CPRNG_UNLIKELY(is_past(generation, expected)))
			break;
		index[i] = 0;
		/* Stored unconditionally: a branch would leak which integers are selected. */
		set->out[set->have] = set->next++;
		set->have += chosen < set->k - set->have;
	}
}

CPRNG_CLEARS bool cprng_distinct_begin(struct cprng_distinct *set, uint64_t *out, size_t k, uint64_t n)
{
	*set = (struct cprng_distinct){ out, k, 0, 64, 1 };
	while (set->value_bits > 1 && (n - 1) >> (set->value_bits - 1) == 0)
		set->value_bits--;
	while (k >> set->number_bits != 0)
		set->number_bits++;
	return set->value_bits + 2 * set->number_bits <= 64;
}

/* Return the slot where the search for a value begins: Fibonacci hashing (Knuth, volume 3, 6.4), scaled to 2 k slots; k < 2^31. */
CPRNG_INLINE uint64_t first_slot(const struct cprng_distinct *set, uint64_t value)
{
	return (value * UINT64_C(0x9e3779b97f4a7c15) >> 32) * (2 * (uint64_t)set->k) >> 32;
}

/* Return the number of integers, with this one. */
CPRNG_INLINE size_t add_distinct(const struct cprng_distinct *set, size_t have, uint64_t value)
{
	const uint64_t values = (UINT64_C(1) << set->value_bits) - 1, numbers = (UINT64_C(1) << set->number_bits) - 1;

	for (uint64_t slot = first_slot(set, value);; slot = slot + 1 < 2 * (uint64_t)set->k ? slot + 1 : 0) {
		const unsigned int shift = set->value_bits + (slot % 2 != 0 ? set->number_bits : 0);
		uint64_t *const word = set->out + slot / 2;
		const uint64_t number = *word >> shift & numbers;

		if (number == 0) {
			set->out[have] = (set->out[have] & ~values) | value;
			*word |= (uint64_t)(have + 1) << shift;
			return have + 1;
		}
		if ((set->out[number - 1] & values) == value)
			return have;
	}
}

/* The places of so many of the next integers are prefetched. */
enum { DISTINCT_AHEAD = 16 };

CPRNG_CLEARS CPRNG_NOINLINE void cprng_distinct_take(struct cprng_distinct *set, const cprng_atomic64 *generation,
						     uint64_t expected)
{
	const struct cprng_distinct s = *set;
	const uint64_t values = (UINT64_C(1) << s.value_bits) - 1;
	const size_t ahead = s.k * sizeof(*s.out) > PREFETCH_TABLE_MIN ? s.k - DISTINCT_AHEAD : 0;
	size_t have = 0;

	for (size_t i = 0; i < s.k; i++) {
		if (CPRNG_UNLIKELY(is_past(generation, expected)))
			break;
		if (i < ahead)
			__builtin_prefetch(s.out + first_slot(&s, s.out[i + DISTINCT_AHEAD] & values) / 2, 1);
		have = add_distinct(&s, have, s.out[i] & values);
	}
	set->have = have;
}

CPRNG_CLEARS CPRNG_NOINLINE void cprng_distinct_add(struct cprng_distinct *set, uint64_t value)
{
	set->have = add_distinct(set, set->have, value);
}

CPRNG_CLEARS void cprng_distinct_end(struct cprng_distinct *set)
{
	for (size_t i = 0; i < set->k; i++)
		set->out[i] &= (UINT64_C(1) << set->value_bits) - 1;
}

/*
 * A radix sort, highest digit first, with the in-place exchanges of the American flag sort (P. M. McIlroy, K. Bostic and
 * M. D. McIlroy,
 * "Engineering radix sort", 1993).  Each level scans the array for runs of integers that agree above the digit, instead of
 * recursing, so the stack holds one set of counters.  Uniform integers are in runs of at most SHORT_RUN after about log64 count
 * levels; an insertion sort completes those runs.  For any other input, each of at most eleven levels takes linear time.
 */
enum { DIGIT_BITS = 6, DIGITS = 1 << DIGIT_BITS, SHORT_RUN = 24, FEW = 16 };

CPRNG_CLEARS CPRNG_NOINLINE static void sort_by_digit(uint64_t *v, size_t count, unsigned int shift)
{
	size_t next[DIGITS] = { 0 }, end[DIGITS], sum = 0;

	for (size_t i = 0; i < count; i++)
		next[v[i] >> shift & (DIGITS - 1)]++;
	for (size_t digit = 0; digit < DIGITS; digit++) {
		const size_t first = sum;

		sum += next[digit];
		next[digit] = first;
		end[digit] = sum;
	}
	for (size_t digit = 0; digit < DIGITS; digit++) {
		while (next[digit] < end[digit]) {
			uint64_t value = v[next[digit]];
			size_t to;

			while ((to = value >> shift & (DIGITS - 1)) != digit) {
				const uint64_t other = v[next[to]];

				v[next[to]++] = value;
				value = other;
			}
			v[next[digit]++] = value;
		}
	}
}

CPRNG_CLEARS static size_t run_length(const uint64_t *v, size_t count, unsigned int above)
{
	size_t length = 1;

	if (above >= 64)
		return count;
	while (length < count && v[length] >> above == v[0] >> above)
		length++;
	return length;
}

CPRNG_CLEARS static void sort(uint64_t *v, size_t sorted, size_t count, uint64_t n)
{
	unsigned int above = 64;

	while (above > 0 && n >> (above - 1) == 0)
		above--;
	for (bool more = count - sorted > FEW; more && above > 0;) {
		const unsigned int shift = above > DIGIT_BITS ? above - DIGIT_BITS : 0;

		more = false;
		for (size_t i = 0, length; i < count; i += length) {
			length = run_length(v + i, count - i, above);
			if (length > SHORT_RUN) {
				sort_by_digit(v + i, length, shift);
				more = true;
			}
		}
		above = shift;
		sorted = 0;
	}
	for (size_t i = sorted; i < count; i++) {
		const uint64_t value = v[i];
		size_t at = i;

		for (; at > 0 && v[at - 1] > value; at--)
			v[at] = v[at - 1];
		v[at] = value;
	}
}

CPRNG_CLEARS CPRNG_NOINLINE size_t cprng_sort_distinct(uint64_t *v, size_t sorted, size_t count, uint64_t n)
{
	size_t distinct = 0;

	sort(v, sorted, count, n);
	for (size_t i = 0; i < count; i++) {
		if (distinct == 0 || v[i] != v[distinct - 1])
			v[distinct++] = v[i];
	}
	return distinct;
}
