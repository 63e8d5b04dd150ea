/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program with one thread.  Checks the known answers, and that no value of any kind of draw is repeated.  Prints the library's
 * description and a value.  Exit status 0 on success.  With an argument, it first takes all memory that the host gives.
 */
#include "../../support/plain_checks.h"

#include <stdlib.h>

/* False alarms: (10^4)^2 / 2^65 = 3 * 10^-12. */
enum { VALUES = 10000 };

static uint64_t drawn[VALUES];

/* The host's limit ends this. */
static void take_all_memory(void)
{
	void *volatile taken;

	do
		taken = malloc(256);
	while (taken != NULL);
}

int main(int argc, char **argv)
{
	struct cprng_info info;

	(void)argv;
	if (argc > 1)
		take_all_memory();
	require_known_answers();
	draw_values(drawn, VALUES);
	cprng_get_info(&info, sizeof(info));
	printf("placement %s, fork guard %s, entropy %s, %s/%s\n%016llx\n", info.placement, info.fork_guard,
	       info.entropy, info.engine, info.backend, (unsigned long long)drawn[0]);
	require_distinct(drawn, VALUES);
	return 0;
}
