/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers made of random bits: docs/streams-specification.md has them step by step.
 *
 * All arithmetic is that of IEEE 754 doubles, by additions, subtractions, multiplications and divisions alone, in a
 * stated order, rounded to nearest: so each backend, machine and compiler gives the same bits.  A product and a sum are not
 * contracted (cpu/target.h), and no compiler may assume that rounding does not matter (core/port.h).
 */
#ifndef CPRNG_NUMBERS_NUMBERS_H
#define CPRNG_NUMBERS_NUMBERS_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * A function of a backend makes count numbers in the place of as many little-endian integers of their size (of any
 * alignment).  It leaves none of them in memory but there.
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
};

/* Best first; ends with a row whose name is NULL.  The last row but one needs nothing. */
extern const struct cprng_numbers_backend cprng_numbers_backends[];

bool cprng_numbers_usable(const struct cprng_numbers_backend *backend);

/*
 * Return 0 if a usable backend and the functions below give their known answers, or the number of the first that is missed.
 * Returns 0 without a test where the calling thread does not round to nearest.
 */
int cprng_numbers_selftest(const struct cprng_numbers_backend *backend);

/* Return the best that this CPU can run: its doubles and floats are exact in each mode of rounding. */
const struct cprng_numbers_backend *cprng_numbers_first_usable(void);

/* Return the best that also passes its self-test, for normals and exponentials; NULL if the compiler has kept the order of none. */
const struct cprng_numbers_backend *cprng_numbers_select(void);

/* Has a backend passed, and the functions below with it?  A load once one has, for each single number. */
extern uint8_t cprng_numbers_passed;
CPRNG_INLINE bool cprng_numbers_pass(void)
{
	return CPRNG_LIKELY(__atomic_load_n(&cprng_numbers_passed, __ATOMIC_RELAXED) != 0) ||
	       cprng_numbers_select() != NULL;
}

/* One number, as the backends make it: the parameters are valid. */
double cprng_number_normal(uint64_t bits, double mu, double sigma);
double cprng_number_exponential(uint64_t bits, double mean);

/* Are these parameters of a distribution?  sigma and mean: finite and not negative; mu: finite. */
bool cprng_number_normal_valid(double mu, double sigma);
bool cprng_number_exponential_valid(double mean);

/* The backends with vectors, by their number of lanes or instruction set. */
#define CPRNG_NUMBERS_DECLARE(name) \
	void cprng_numbers_doubles_##name(uint8_t *place, size_t count); \
	void cprng_numbers_floats_##name(uint8_t *place, size_t count); \
	void cprng_numbers_normals_##name(uint8_t *place, size_t count, double mu, double sigma); \
	void cprng_numbers_exponentials_##name(uint8_t *place, size_t count, double mean); \
	size_t cprng_numbers_uniform32_##name(uint8_t *place, size_t count, uint32_t bound); \
	size_t cprng_numbers_narrow64_##name(uint8_t *place, size_t count, uint32_t bound, uint64_t first);
CPRNG_NUMBERS_DECLARE(lanes2)
CPRNG_NUMBERS_DECLARE(avx2)
CPRNG_NUMBERS_DECLARE(avx512)

CPRNG_END_DECLARATIONS
#endif
