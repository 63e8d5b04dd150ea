/* SPDX-License-Identifier: BSD-2-Clause */
/* The time for Fortuna's intervals, also in a process without a clock. */
#ifndef CPRNG_PROCESS_CLOCK_H
#define CPRNG_PROCESS_CLOCK_H

#include "fortuna/accumulator.h"
#include "os/os.h"

/*
 * Without a clock (a sandbox that refuses it), so many looks at the clock count as an interval between two reseeds.  A read
 * looks one to three times.  So sources are still polled and pools still drained, yet seldom enough that a pool gathers
 * events of other sources than the kernel.
 */
#define CPRNG_LOOKS_PER_INTERVAL 64

/* Return nanoseconds since any start; *looks counts the looks that found no clock. */
CPRNG_INLINE uint64_t cprng_clock_or_count(uint64_t *looks)
{
	const uint64_t now = cprng_os_nanoseconds();

	if (CPRNG_LIKELY(now != 0))
		return now;
	return __atomic_fetch_add(looks, 1, __ATOMIC_RELAXED) * (CPRNG_RESEED_INTERVAL_NS / CPRNG_LOOKS_PER_INTERVAL);
}

#endif
