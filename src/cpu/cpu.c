/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/cpu.h"

/* Bit 31 marks the cache as filled, so that a CPU without any feature is not asked again and again. */
#define DETECTED (1u << 31)

static uint32_t cache;
static uint32_t ceiling = ~0u;

uint32_t cprng_cpu_features(void)
{
	uint32_t features = __atomic_load_n(&cache, __ATOMIC_RELAXED);

	if (CPRNG_UNLIKELY(features == 0)) {
		/* Two callers may both ask: the answer is the same. */
		features = cprng_cpu_detect() | DETECTED;
		__atomic_store_n(&cache, features, __ATOMIC_RELAXED);
	}
	return features & ~DETECTED & __atomic_load_n(&ceiling, __ATOMIC_RELAXED);
}

void cprng_cpu_set_ceiling(uint32_t mask)
{
	__atomic_store_n(&ceiling, mask, __ATOMIC_RELAXED);
}

const char *cprng_cpu_feature_name(uint32_t bit)
{
	switch (bit) {
	case CPRNG_CPU_SSSE3:
		return "ssse3";
	case CPRNG_CPU_AVX2:
		return "avx2";
	case CPRNG_CPU_AESNI:
		return "aesni";
	case CPRNG_CPU_VAES:
		return "vaes";
	case CPRNG_CPU_AVX512:
		return "avx512";
	case CPRNG_CPU_RDRAND:
		return "rdrand";
	case CPRNG_CPU_RDSEED:
		return "rdseed";
	case CPRNG_CPU_ARM_AES:
		return "arm-aes";
	case CPRNG_CPU_ARM_RNG:
		return "arm-rng";
	default:
		return NULL;
	}
}
