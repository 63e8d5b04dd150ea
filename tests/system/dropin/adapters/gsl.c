/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include <cprng/adapters/gsl.h>

#include <gsl/gsl_randist.h>

int main(void)
{
	gsl_rng *random = gsl_rng_alloc(cprng_gsl_type()), *clone;

	if (random == NULL)
		return 1;
	gsl_rng_set(random, 1);
	printf("%s %lx %lx\n", gsl_rng_name(random), gsl_rng_min(random), gsl_rng_max(random));
	printf("%08lx\n", gsl_rng_get(random));
	printf("%.6f\n", gsl_rng_uniform(random));
	clone = gsl_rng_clone(random);
	printf("%08lx\n", gsl_rng_get(clone));
	printf("%08lx\n", gsl_rng_get(random));
	printf("%d\n", gsl_ran_flat(random, 2.0, 3.0) >= 2.0);
	gsl_rng_free(clone);
	gsl_rng_free(random);
	return 0;
}
