/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/cpu.h"

/* Bit 31 marks the cache as filled, so that a CPU without any feature is not queried at each call. */
#define DETECTED (1u << 31)

static uint32_t cache;
static uint32_t ceiling = ~0u;

uint32_t cprng_cpu_features(void)
{
	uint32_t features = __atomic_load_n(&cache, __ATOMIC_RELAXED);

	if (CPRNG_UNLIKELY(features == 0)) {
		/* Concurrent callers may all detect: the result is the same. */
		features = cprng_cpu_detect() | DETECTED;
		__atomic_store_n(&cache, features, __ATOMIC_RELAXED);
	}
	return features & ~DETECTED & __atomic_load_n(&ceiling, __ATOMIC_RELAXED);
}

void cprng_cpu_set_ceiling(uint32_t mask)
{
	__atomic_store_n(&ceiling, mask, __ATOMIC_RELAXED);
}
