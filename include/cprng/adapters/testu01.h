/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A generator for TestU01 (L'Ecuyer and Simard, doi:10.1145/1268776.1268777), for its batteries of statistical tests.
 *
 *     unif01_Gen *random = cprng_testu01_create();
 *
 *     bbattery_SmallCrush(random);
 *     cprng_testu01_delete(random);
 */
#ifndef CPRNG_ADAPTERS_TESTU01_H
#define CPRNG_ADAPTERS_TESTU01_H

/* TestU01's header declares functions with () and has no extern "C". */
#ifdef __cplusplus
extern "C" {
#endif
#include <unif01.h>
#ifdef __cplusplus
}
#endif

#include <cprng/cprng.h>

static inline unsigned int cprng_testu01_bits(void)
{
	return cprng_fast32();
}

/* TestU01 allows only one generator of this kind at a time, and ends the program if another is created. */
static inline unif01_Gen *cprng_testu01_create(void)
{
	static char name[] = "cprng_fast32";

	return unif01_CreateExternGenBits(name, cprng_testu01_bits);
}

static inline void cprng_testu01_delete(unif01_Gen *random)
{
	unif01_DeleteExternGenBits(random);
}

#endif
