/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by the GNU Scientific Library. */
#include <stdio.h>
#include <string.h>

#include <cprng/adapters/gsl.h>

#include <gsl/gsl_randist.h>

#include "../subject.h"

static gsl_rng *random_of_gsl;

__attribute__((constructor)) static void start(void)
{
	random_of_gsl = gsl_rng_alloc(cprng_gsl_type());
	if (random_of_gsl == NULL)
		fail("gsl_rng_alloc");
}

void call_each(void)
{
	gsl_rng *random = random_of_gsl, *clone;

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
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	for (int i = 0; i < VALUE; i += 4) {
		uint32_t word = (uint32_t)gsl_rng_get(random_of_gsl);

		memcpy(value + i, &word, sizeof(word));
	}
}
