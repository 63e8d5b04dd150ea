/* SPDX-License-Identifier: BSD-2-Clause */
#include <stdio.h>

#include <cprng/adapters/testu01.h>

int main(void)
{
	unif01_Gen *random = cprng_testu01_create();

	printf("%s\n", random->name);
	printf("%08lx\n", random->GetBits(random->param, random->state));
	printf("%.10f\n", random->GetU01(random->param, random->state));
	cprng_testu01_delete(random);
	/* After the first one is deleted a second may be created. */
	random = cprng_testu01_create();
	printf("%08lx\n", random->GetBits(random->param, random->state));
	cprng_testu01_delete(random);
	return 0;
}
