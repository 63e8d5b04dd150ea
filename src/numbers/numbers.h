/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers computed from random bits: docs/streams-specification.md has the steps.
 *
 * The arithmetic uses only addition, subtraction, multiplication and division of IEEE 754 doubles, in a fixed order, rounded to
 * nearest, so every backend, machine and compiler gives the same bits.  A product and a sum are never contracted into a fused
 * multiply-add (cpu/target.h), and compiler options that ignore rounding are refused (core/port.h).
 */
#ifndef CPRNG_NUMBERS_NUMBERS_H
#define CPRNG_NUMBERS_NUMBERS_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * Each function replaces count little-endian integers at place, of any alignment, by numbers of the same size.  It leaves no copy
 * of them elsewhere in memory.
 */
struct cprng_numbers_backend {
	const char *name;
	uint32_t needs; /* CPRNG_CPU_* bits, all required */
	void (*doubles)(uint8_t *place, size_t count);
	void (*floats)(uint8_t *place, size_t count);
	void (*normals)(uint8_t *place, size_t count, double mu, double sigma);
	void (*exponentials)(uint8_t *place, size_t count, double mean);
	/*
	 * Make integers below bound of count words of 32 bits, as cprng_uniform32() does, and return how many: words that the
	 * bound refuses make none.  The first has the words in its place.  The second puts integers of 64 bits, plus first,
	 * into the place of as many, where the words are in the second half.
	 */
	size_t (*uniform32)(uint8_t *place, size_t count, uint32_t bound);
	size_t (*narrow64)(uint8_t *place, size_t count, uint32_t bound, uint64_t first);
	/*
	 * Turn groups of words into indexes, and erase the words, as cprng_order_choose() does, per_word >= 2.  Stop before a
	 * group that is not whole, and before a group with a word that is below limit * 2^32 when its indexes are made: it may be
	 * rejected.  Return the number of words.  NULL: there is no faster way than one word at a time.
	 */
	size_t (*indexes)(uint64_t *to, uint64_t *words, size_t count, uint64_t bound, unsigned int per_word,
			  uint32_t limit);
};

/* Best first; ends with a row whose name is NULL.  The last row before it needs no CPU feature. */
extern const struct cprng_numbers_backend cprng_numbers_backends[];

bool cprng_numbers_usable(const struct cprng_numbers_backend *backend);

/*
 * Return 0 if a usable backend and the functions for single numbers below give their known answers, otherwise the number of the
 * first wrong answer.  Return 0 without a test if the calling thread does not round to nearest.
 */
int cprng_numbers_selftest(const struct cprng_numbers_backend *backend);

/* Return the best backend that this CPU can run: its doubles and floats are exact in every rounding mode. */
const struct cprng_numbers_backend *cprng_numbers_first_usable(void);

/* Return the best that also passes its self-test, for normals and exponentials; NULL if none does (a compiler reordered them). */
const struct cprng_numbers_backend *cprng_numbers_select(void);

/* Return true if a backend has passed, together with the functions below.  After the first pass this is one load. */
extern uint8_t cprng_numbers_passed;
CPRNG_INLINE bool cprng_numbers_pass(void)
{
	return CPRNG_LIKELY(__atomic_load_n(&cprng_numbers_passed, __ATOMIC_RELAXED) != 0) ||
	       cprng_numbers_select() != NULL;
}

/* Return one number, the same as the backends'.  The parameters must be valid. */
double cprng_number_normal(uint64_t bits, double mu, double sigma);
double cprng_number_exponential(uint64_t bits, double mean);

/* Return true if the parameters are valid: mu finite; sigma and mean finite and not negative. */
bool cprng_number_normal_valid(double mu, double sigma);
bool cprng_number_exponential_valid(double mean);

/* The vector backends, named by number of lanes or instruction set. */
#define CPRNG_NUMBERS_DECLARE(name) \
	void cprng_numbers_doubles_##name(uint8_t *place, size_t count); \
	void cprng_numbers_floats_##name(uint8_t *place, size_t count); \
	void cprng_numbers_normals_##name(uint8_t *place, size_t count, double mu, double sigma); \
	void cprng_numbers_exponentials_##name(uint8_t *place, size_t count, double mean); \
	size_t cprng_numbers_uniform32_##name(uint8_t *place, size_t count, uint32_t bound); \
	size_t cprng_numbers_narrow64_##name(uint8_t *place, size_t count, uint32_t bound, uint64_t first);
#define CPRNG_NUMBERS_DECLARE_INDEXES(name) \
	size_t cprng_numbers_indexes_##name(uint64_t *to, uint64_t *words, size_t count, uint64_t bound, \
					    unsigned int per_word, uint32_t limit);
CPRNG_NUMBERS_DECLARE(lanes2)
CPRNG_NUMBERS_DECLARE(avx2)
CPRNG_NUMBERS_DECLARE(avx512)
CPRNG_NUMBERS_DECLARE_INDEXES(avx2)
CPRNG_NUMBERS_DECLARE_INDEXES(avx512)

CPRNG_END_DECLARATIONS
#endif
