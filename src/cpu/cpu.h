/* SPDX-License-Identifier: BSD-2-Clause */
/* The features that the CPU (and the operating system's register saving) lets a backend use, as a bit mask. */
#ifndef CPRNG_CPU_CPU_H
#define CPRNG_CPU_CPU_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	/* x86-64; SSE2 is the baseline and needs no bit */
	CPRNG_CPU_SSSE3 = 1u << 0,
	CPRNG_CPU_AVX2 = 1u << 1,
	CPRNG_CPU_AESNI = 1u << 2,  /* AES-NI and SSE4.1 */
	CPRNG_CPU_VAES = 1u << 3,   /* VAES on ymm registers; implies AVX2 was seen */
	CPRNG_CPU_AVX512 = 1u << 4, /* AVX-512 F, BW, VL and DQ, and the system saves zmm registers */
	CPRNG_CPU_RDRAND = 1u << 5,
	CPRNG_CPU_RDSEED = 1u << 6,
	/* AArch64; NEON is the baseline */
	CPRNG_CPU_ARM_AES = 1u << 8, /* FEAT_AES */
	CPRNG_CPU_ARM_RNG = 1u << 9, /* FEAT_RNG: RNDR and RNDRRS */
};

/* Return the CPU's features, without those that the ceiling hides.  Fast after the first call; any thread, any signal handler. */
uint32_t cprng_cpu_features(void);

/*
 * Hide every feature outside mask from now on, so that tests can use each level on one machine.  ~0u hides none.
 * A caller that has kept a pointer to a backend continues to use that backend.
 */
void cprng_cpu_set_ceiling(uint32_t mask);

/* For cpu.c; implemented by detect_<architecture>.c. */
uint32_t cprng_cpu_detect(void);

CPRNG_END_DECLARATIONS
#endif
