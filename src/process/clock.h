/* SPDX-License-Identifier: BSD-2-Clause */
/* The time for Fortuna's intervals, also where there is no clock. */
#ifndef CPRNG_PROCESS_CLOCK_H
#define CPRNG_PROCESS_CLOCK_H

#include "fortuna/accumulator.h"
#include "os/os.h"

/*
 * Without a clock (a sandbox that refuses it), so many looks count as an interval between two reseeds.  A read looks one to
 * three times: sources are still asked and pools still used, and not so often that the kernel's bytes are all that they get.
 */
#define CPRNG_LOOKS_PER_INTERVAL 64

/* Nanoseconds since any start; *looks counts those at no clock. */
CPRNG_INLINE uint64_t cprng_clock_or_count(uint64_t *looks)
{
	const uint64_t now = cprng_os_nanoseconds();

	if (CPRNG_LIKELY(now != 0))
		return now;
	return __atomic_fetch_add(looks, 1, __ATOMIC_RELAXED) * (CPRNG_RESEED_INTERVAL_NS / CPRNG_LOOKS_PER_INTERVAL);
}

#endif
