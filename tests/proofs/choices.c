/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proofs of src/numbers/choices.h by CBMC.  They are about the code itself, for all bounds and all numbers from its sources.
 * They do not prove that results are equally likely.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __attribute__(list)
#include "numbers/choices.h"

/* Orders of up to COUNT elements, and samples below bounds up to COUNT. */
enum { COUNT = 4 };

uint64_t nondet_u64(void);
int64_t nondet_i64(void);
size_t nondet_size(void);

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

/* Replaces the library's function, which is not part of these proofs. */
void cprng_sort_u64(uint64_t *v, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		for (size_t j = i; j > 0 && v[j - 1] > v[j]; j--) {
			const uint64_t larger = v[j - 1];
			v[j - 1] = v[j];
			v[j] = larger;
		}
	}
}

void ranges(void)
{
	const uint64_t lo = nondet_u64(), hi = nondet_u64(), n = cprng_choose_between(below, any, NULL, lo, hi);
	const int64_t a = nondet_i64(), b = nondet_i64(), i = cprng_choose_between_signed(below, any, NULL, a, b);

	__CPROVER_assert(lo <= hi ? lo <= n && n <= hi : hi <= n && n <= lo, "between the ends, in either order");
	__CPROVER_assert(a <= b ? a <= i && i <= b : b <= i && i <= a, "signed integers, too");
}

void order(void)
{
	const size_t count = nondet_size();
	uint8_t element[COUNT] = { 0, 1, 2, 3 };
	unsigned int seen = 0;

	__CPROVER_assume(count <= COUNT);
	cprng_choose_order(below, NULL, element, count, 1);
	for (size_t i = 0; i < COUNT; i++) {
		__CPROVER_assert(i < count || element[i] == i, "what is not of the array stays");
		seen |= 1u << element[i];
	}
	__CPROVER_assert(seen == (1u << COUNT) - 1, "each element once");
}

void sample(void)
{
	const uint64_t n = nondet_u64();
	const size_t k = nondet_size();
	uint64_t out[COUNT] = { COUNT, COUNT, COUNT, COUNT };
	unsigned int seen = 0;

	__CPROVER_assume(n <= COUNT && k <= n && k > n / 2);
	cprng_choose_set(below, NULL, out, k, n);
	for (size_t i = 0; i < COUNT; i++) {
		__CPROVER_assert(i < k ? out[i] < n && (seen >> out[i] & 1) == 0 : out[i] == COUNT,
				 "k integers below n, each once");
		if (i < k)
			seen |= 1u << out[i];
	}
}
