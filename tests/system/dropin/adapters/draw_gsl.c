/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by the GNU Scientific Library. */
#include <string.h>

#include <cprng/adapters/gsl.h>

#include "../subject.h"

static gsl_rng *random_of_gsl;

__attribute__((constructor)) static void start(void)
{
	random_of_gsl = gsl_rng_alloc(cprng_gsl_type());
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	for (int i = 0; i < VALUE; i += 4) {
		uint32_t word = (uint32_t)gsl_rng_get(random_of_gsl);

		memcpy(value + i, &word, sizeof(word));
	}
}
