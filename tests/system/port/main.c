/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program of one thread: known answers; values of all kinds of draws, none of which repeats.  Prints what the library
 * says of itself, and a value.  Exit status 0 on success.
 */
#include "../../support/plain_checks.h"

/* A repeat by chance: (10^4)^2 / 2^65 = 3 * 10^-12. */
enum { VALUES = 10000 };

static uint64_t drawn[VALUES];

int main(void)
{
	struct cprng_info info;

	require_known_answers();
	draw_values(drawn, VALUES);
	cprng_get_info(&info, sizeof(info));
	printf("placement %s, fork guard %s, entropy %s, %s/%s\n%016llx\n", info.placement, info.fork_guard,
	       info.entropy, info.engine, info.backend, (unsigned long long)drawn[0]);
	require_distinct(drawn, VALUES);
	return 0;
}
