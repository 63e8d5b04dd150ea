/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A generator for the GNU Scientific Library.  It has no state and no seed: gsl_rng_set() does nothing, a clone gives
 * different numbers, and runs are not reproducible.
 *
 *     gsl_rng *random = gsl_rng_alloc(cprng_gsl_type());
 *     double x = gsl_ran_gaussian(random, 2.0);
 */
#ifndef CPRNG_ADAPTERS_GSL_H
#define CPRNG_ADAPTERS_GSL_H

#include <gsl/gsl_rng.h>

#include <cprng/cprng.h>

static inline void cprng_gsl_set(void *state, unsigned long int seed)
{
	(void)state;
	(void)seed;
}

static inline unsigned long int cprng_gsl_get(void *state)
{
	(void)state;
	return cprng_fast32();
}

static inline double cprng_gsl_get_double(void *state)
{
	(void)state;
	return cprng_double();
}

/* Return the type, a static object. */
static inline const gsl_rng_type *cprng_gsl_type(void)
{
	/* The state has one byte because GSL allocates it. */
	static const gsl_rng_type type = { "cprng",       0xffffffffUL,        0, 1, cprng_gsl_set,
					   cprng_gsl_get, cprng_gsl_get_double };

	return &type;
}

#endif
