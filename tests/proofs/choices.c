/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proofs by CBMC of src/numbers/choices.[ch] and single.h, and of the inlined trials of <cprng/draw.h> and
 * <cprng/stream_numbers.h>.  They are about the code itself, for all bounds and all numbers from its sources, or for those that a
 * comment names.  They do not prove that results are equally likely.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __attribute__(list)
#include "numbers/choices.c"
#include "numbers/single.h"

/* Draws as on a system without restartable sequences, where each calls the slow path. */
#undef __linux__
#define CPRNG_INLINE_DRAW static
#define CPRNG_INLINE_STREAM static
#define __builtin_memcpy memcpy
#include <cprng/cprng.h>

/* Orders of up to COUNT elements, and samples below bounds up to COUNT. */
enum { COUNT = 4 };

uint64_t nondet_u64(void);
int64_t nondet_i64(void);
size_t nondet_size(void);

/* Without vectors, which make the same indexes (tests/unit/numbers/choices.cpp). */
const struct cprng_numbers_backend *cprng_numbers_first_usable(void)
{
	static const struct cprng_numbers_backend none = { 0 };

	return &none;
}

static uint64_t any(void *source)
{
	(void)source;
	return nondet_u64();
}

static uint64_t below(void *source, uint64_t bound)
{
	const uint64_t number = nondet_u64();

	(void)source;
	__CPROVER_assert(bound != 0, "no number is below 0");
	__CPROVER_assume(number < bound);
	return number;
}

static const cprng_atomic64 generation = 1;

void ranges(void)
{
	const uint64_t lo = nondet_u64(), hi = nondet_u64(), n = cprng_choose_between(below, any, NULL, lo, hi);
	const int64_t a = nondet_i64(), b = nondet_i64(), i = cprng_choose_between_signed(below, any, NULL, a, b);

	__CPROVER_assert(lo <= hi ? lo <= n && n <= hi : hi <= n && n <= lo, "between the ends, in either order");
	__CPROVER_assert(a <= b ? a <= i && i <= b : b <= i && i <= a, "signed integers, too");
}

void order(void)
{
	const size_t count = nondet_size(), indexes = nondet_size();
	const uint64_t expected = nondet_u64();
	uint8_t element[COUNT] = { 0, 1, 2, 3 };
	uint64_t index[COUNT];
	unsigned int seen = 0;
	size_t made;

	__CPROVER_assume(2 <= count && count <= COUNT && indexes < count);
	for (size_t i = 0; i < indexes; i++)
		index[i] = below(NULL, count - i);
	made = cprng_order_exchange(element, count, 1, index, indexes, &generation, expected);
	__CPROVER_assert(made == (expected == generation ? indexes : 0),
			 "all exchanges, or none of another generation");
	for (size_t i = 0; i < COUNT; i++) {
		__CPROVER_assert(i < count || element[i] == i, "what is not of the array stays");
		__CPROVER_assert(made != 0 || element[i] == i, "and the array without an exchange");
		__CPROVER_assert(i >= made || index[i] == 0, "used indexes are erased");
		seen |= 1u << element[i];
	}
	__CPROVER_assert(seen == (1u << COUNT) - 1, "each element once");
}

/* The words of up to three indexes each, and what their place holds before. */
void indexes(void)
{
	const uint64_t bound = nondet_u64();
	const uint64_t most = nondet_u64();
	uint64_t block[CPRNG_ORDER_BLOCK];
	size_t words, made;

	__CPROVER_assume(2 <= bound && bound <= COUNT && most <= 3 && most < bound);
	words = cprng_order_single_words(bound, most);
	__CPROVER_assert(words == most, "as many words as are asked for");
	for (size_t i = 0; i < 3; i++)
		block[i] = nondet_u64();
	made = cprng_order_choose_singly(block, words, bound);
	__CPROVER_assert(made <= words, "an index for each word at most");
	for (size_t i = 0; i < made; i++)
		__CPROVER_assert(block[i] < bound - i, "each below its bound");
}

void sample(void)
{
	const uint64_t n = nondet_u64();
	const size_t k = nondet_size();
	uint64_t out[COUNT] = { COUNT, COUNT, COUNT, COUNT }, index[COUNT];
	struct cprng_selection set = { out, k, 0, n, 0 };
	unsigned int seen = 0;

	__CPROVER_assume(n <= COUNT && k <= n);
	for (size_t i = 0; i < n; i++)
		index[i] = below(NULL, n - i);
	cprng_select(&set, index, n, &generation, generation);
	__CPROVER_assert(set.have == k, "no more and no fewer");
	for (size_t i = 0; i < COUNT; i++) {
		__CPROVER_assert(i < k ? out[i] < n && (seen >> out[i] & 1) == 0 : out[i] == COUNT,
				 "k integers below n, each once");
		if (i < k)
			seen |= 1u << out[i];
	}
}

void distinct(void)
{
	const uint64_t n = nondet_u64();
	const size_t k = nondet_size();
	uint64_t out[COUNT] = { COUNT, COUNT, COUNT, COUNT };
	struct cprng_distinct set;
	unsigned int seen = 0;

	__CPROVER_assume(1 <= k && k < COUNT && k <= n && n <= COUNT);
	for (size_t i = 0; i < k; i++)
		out[i] = below(NULL, n);
	__CPROVER_assert(cprng_distinct_begin(&set, out, k, n), "there is room for the table");
	cprng_distinct_take(&set, &generation, generation);
	for (uint64_t value = 0; value < n; value++) {
		if (set.have < k)
			cprng_distinct_add(&set, value);
	}
	cprng_distinct_end(&set);
	__CPROVER_assert(set.have == k, "no more and no fewer");
	for (size_t i = 0; i < COUNT; i++) {
		__CPROVER_assert(i < k ? out[i] < n && (seen >> out[i] & 1) == 0 : out[i] == COUNT,
				 "k integers below n, each once");
		if (i < k)
			seen |= 1u << out[i];
	}
}

/* The words that a choice has taken. */
static uint64_t word[2];
static unsigned int taken;

static uint64_t next64(void *source)
{
	(void)source;
	return word[taken++] = nondet_u64();
}

/* Each p of up to 8 digits, all among the first 128: an exponent of 1023 is that of 1. */
static double p;
static bool is_between;
static unsigned __int128 digits;

static void choose_p(void)
{
	const union {
		uint64_t bits;
		double value;
	} any = { nondet_u64() << 45 };

	p = any.value;
	is_between = p > 0 && p < 1;
	__CPROVER_assume(!is_between || any.bits >> 52 >= 1023 - 121);
	if (is_between)
		digits = (unsigned __int128)(any.bits >> 45 & 0x7f | 0x80) << (any.bits >> 52) - (1023 - 121);
}

/* `words`: those that a trial takes which is certain. */
static void check_trial(bool is_true, unsigned int words)
{
	const unsigned __int128 number = (unsigned __int128)word[0] << 64 | (taken > 1 ? word[1] : 0);

	__CPROVER_assert(is_true == (p >= 1 || is_between && number < digits), "whether a uniform number is below p");
	if (is_between)
		words = word[0] == (uint64_t)(digits >> 64) && (uint64_t)digits != 0 ? 2 : 1;
	__CPROVER_assert(taken == words, "a word, and a second one if it does not tell");
}

void bernoulli(void)
{
	choose_p();
	check_trial(cprng_choose_bernoulli(next64, NULL, p), 1);
}

uint64_t cprng_stream_slow_1(cprng_stream *s, unsigned int bytes)
{
	__CPROVER_assert(bytes == 8, "whole words");
	return next64(s);
}

void bernoulli_of_stream(void)
{
	choose_p();
	check_trial(cprng_stream_bernoulli(NULL, p), 1);
}

/* As many digits of 32 bits as a trial has taken, and the uniform number's. */
static unsigned __int128 drawn;

uint64_t cprng_draw_slow_1(unsigned int bytes)
{
	const uint32_t next = (uint32_t)nondet_u64();

	__CPROVER_assert(bytes == 4, "words of 32 bits");
	__CPROVER_assume(taken < 4); /* a fifth is compared with 0 */
	drawn |= (unsigned __int128)next << (96 - 32 * taken++);
	return next;
}

void bernoulli_of_draws(void)
{
	bool is_true;

	choose_p();
	is_true = cprng_bernoulli(p) != 0;
	__CPROVER_assert(is_true == (p >= 1 || is_between && drawn < digits), "whether a uniform number is below p");
	__CPROVER_assert(is_between ? taken >= 1 : taken == 0, "no word if it is certain");
	/* The words before the last one do not tell. */
	__CPROVER_assert(taken < 2 || (drawn ^ digits) >> (160 - 32 * taken) == 0, "no word too many");
}

static uint64_t bound, refused;
static unsigned int width;

/* Whether the word is rejected. */
static bool is_refused(void)
{
	return (uint64_t)((unsigned __int128)word[0] * bound << (64 - width)) >> (64 - width) < refused;
}

static uint64_t try64(void *source)
{
	if (taken != 0) {
		__CPROVER_assert(is_refused(), "as for the bounded number");
		__CPROVER_assume(false);
	}
	return next64(source);
}

static uint32_t try32(void *source)
{
	try64(source);
	return (uint32_t)(word[0] = (uint32_t)word[0]);
}

/* A product of nondeterministic factors is small: a proof of larger ones takes days. */
static void choose(uint64_t count, uint64_t sum)
{
	uint64_t number, unit;

	bound = count * sum;
	width = bound <= UINT32_MAX ? 32 : 64;
	refused = (width == 32 ? (uint32_t)-bound : -bound) % bound;
	taken = 0;
	number = cprng_choose_column(try32, try64, NULL, count, sum, bound, refused, &unit);
	__CPROVER_assert(number < count && unit < sum, "a column, and a place in it");
	__CPROVER_assert((uint64_t)((unsigned __int128)word[0] * bound >> width) == number * sum + unit,
			 "those of the bounded number");
	__CPROVER_assert(!is_refused(), "as for the bounded number");
}

void column(void)
{
	choose(nondet_u64() % 4 + 1, nondet_u64() % 4 + 1);
	choose(nondet_u64() % 4 + 1, (nondet_u64() % 4 + 1) << 32);
}
