/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws by TestU01. */
#include <stdio.h>
#include <string.h>

#include <cprng/adapters/testu01.h>

#include "../subject.h"

static unif01_Gen *random_of_testu01;

__attribute__((constructor)) static void start(void)
{
	random_of_testu01 = cprng_testu01_create();
}

static unsigned long bits(void)
{
	return random_of_testu01->GetBits(random_of_testu01->param, random_of_testu01->state);
}

void call_each(void)
{
	printf("%s\n", random_of_testu01->name);
	printf("%08lx\n", bits());
	printf("%.10f\n", random_of_testu01->GetU01(random_of_testu01->param, random_of_testu01->state));
	cprng_testu01_delete(random_of_testu01);
	/* After the first one is deleted a second may be created. */
	start();
	printf("%08lx\n", bits());
	cprng_testu01_delete(random_of_testu01);
}

void draw_value(unsigned char *value, unsigned int which)
{
	(void)which;
	for (int i = 0; i < VALUE; i += 4) {
		uint32_t word = (uint32_t)bits();

		memcpy(value + i, &word, sizeof(word));
	}
}
