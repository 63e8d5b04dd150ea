/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reseeds: draws get new keys from cprng_strong(9) when they should, and event counters count them.
 *
 * The epoch of the entropy pool (which sysctl kern.entropy.consolidate advances in NetBSD 10) is a variable here.
 */
#include <stdbool.h>

#include "netbsd.h"

enum { KERN_EVCNT = 84, EVCNT_TYPE_ANY = -1, KERN_EVCNT_COUNT_ANY = 0 };

/* From NetBSD's sys/sysctl.h. */
struct evcnt_sysctl {
	uint64_t ev_count, ev_addr, ev_parent;
	uint8_t ev_type, ev_grouplen, ev_namelen, ev_len; /* ev_len: of this counter, in units of 8 bytes */
	char ev_strings[];
};

extern int rumpns_rnd_initial_entropy;

static volatile unsigned long keys;
static volatile bool is_interrupt;
static volatile int level = IPL_NONE;

size_t __wrap_rumpns_cprng_strong(void *object, void *buf, size_t len, int flags)
{
	keys++;
	demand(!is_interrupt && level == IPL_NONE, "a hard interrupt calls no cprng_strong()");
	return __real_rumpns_cprng_strong(object, buf, len, flags);
}

bool __wrap_rumpns_cpu_intr_p(void)
{
	return is_interrupt;
}

/* The previous level, which is this thread's level when it draws. */
int __wrap_rumpns_splraise(int to)
{
	(void)to;
	return level;
}

/* The number of keys that a draw requested; the caller holds the CPU, so soft interrupts wait. */
static unsigned long keys_of_a_draw(void)
{
	const unsigned long before = keys;

	(void)rumpns_cprng_fast64();
	return keys - before;
}

/* The sum over all CPUs. */
static uint64_t counted(void)
{
	static uint64_t answer[1 << 14];
	int name[] = { CTL_KERN, KERN_EVCNT, EVCNT_TYPE_ANY, KERN_EVCNT_COUNT_ANY };
	size_t len = sizeof(answer), at;
	uint64_t sum = 0;

	demand(rump_sys___sysctl(name, 4, answer, &len, NULL, 0) == 0, "kern.evcnt");
	for (at = 0; at < len / 8;) {
		const struct evcnt_sysctl *const e = (const struct evcnt_sysctl *)&answer[at];

		if (strcmp(e->ev_strings + e->ev_grouplen + 1, "cprng_fast reseed") == 0)
			sum += e->ev_count;
		demand(e->ev_len != 0, "a counter has a length");
		at += e->ev_len;
	}
	return sum;
}

int main(void)
{
	unsigned long in_interrupt, after, before;
	uint64_t count;

	start_kernel();
	rump_schedule();
	(void)keys_of_a_draw();
	demand(keys_of_a_draw() == 0, "a draw takes no key for nothing");
	rump_unschedule();
	count = counted();
	rump_schedule();
	rumpns_rnd_initial_entropy++;
	demand(keys_of_a_draw() == 1, "the draw that finds a new epoch takes a key");
	demand(keys_of_a_draw() == 0, "and no later one");
	rump_unschedule();
	demand(counted() > count, "an event counter has the key");
	rump_schedule();
	before = keys;
	rumpns_rnd_initial_entropy++;
	is_interrupt = true;
	in_interrupt = keys_of_a_draw();
	is_interrupt = false;
	demand(in_interrupt == 0, "a draw in an interrupt takes none");
	level = IPL_VM;
	in_interrupt = keys_of_a_draw();
	level = IPL_NONE;
	demand(in_interrupt == 0, "nor does a draw at a raised level");
	/* Soft interrupts run while no thread has the CPU. */
	while (keys == before) {
		rump_unschedule();
		usleep(1000);
		rump_schedule();
	}
	/* The handler may still be finishing on the same CPU; it returns the CPU when it is done. */
	after = keys_of_a_draw();
	rump_unschedule();
	printf("counted %lu after %lu\n", (unsigned long)(counted() - count), after);
	finish(0);
}
