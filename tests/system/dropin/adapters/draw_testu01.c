/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by TestU01. */
#include <string.h>

#include <cprng/adapters/testu01.h>

#include "../subject.h"

static unif01_Gen *random_of_testu01;

__attribute__((constructor)) static void start(void)
{
	random_of_testu01 = cprng_testu01_create();
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	for (int i = 0; i < VALUE; i += 4) {
		uint32_t word =
			(uint32_t)random_of_testu01->GetBits(random_of_testu01->param, random_of_testu01->state);

		memcpy(value + i, &word, sizeof(word));
	}
}
