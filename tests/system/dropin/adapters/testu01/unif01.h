/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The part of TestU01 1.2.3 that its adapter uses, according to its guide, for machines without TestU01: Debian has no package.  As
 * in TestU01, there is one generator at a time.
 */
#ifndef CPRNG_TESTS_UNIF01_H
#define CPRNG_TESTS_UNIF01_H

#include <stdio.h>
#include <stdlib.h>

typedef struct {
	void *state;
	void *param;
	char *name;
	double (*GetU01)(void *param, void *state);
	unsigned long (*GetBits)(void *param, void *state);
	void (*Write)(void *state);
} unif01_Gen;

static unsigned int (*unif01_bits)(void);

static unsigned long unif01_get_bits(void *param, void *state)
{
	(void)param;
	(void)state;
	return unif01_bits();
}

static double unif01_get_u01(void *param, void *state)
{
	return (double)unif01_get_bits(param, state) / 4294967296.0;
}

static unif01_Gen *unif01_CreateExternGenBits(char *name, unsigned int (*bits)(void))
{
	unif01_Gen *made = calloc(1, sizeof(*made));

	if (made == NULL || unif01_bits != NULL) {
		fprintf(stderr, "unif01_CreateExternGenBits: only one such generator can be used at a time\n");
		exit(1);
	}
	unif01_bits = bits;
	made->name = name;
	made->GetU01 = unif01_get_u01;
	made->GetBits = unif01_get_bits;
	return made;
}

static void unif01_DeleteExternGenBits(unif01_Gen *made)
{
	unif01_bits = NULL;
	free(made);
}

#endif
