/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__aarch64__)

#include "cpu/cpu.h"
#include "cpu/random_instructions.h"

/*
 * Arm ARM, RNDR and RNDRRS: the read fails if no number is available "within a reasonable period of time", so each try includes
 * a wait.  This is the number of tries that Intel recommends for RDRAND; Linux makes one.
 */
enum { TRIES = 10 };

/* The registers' encodings, which assemblers accept without FEAT_RNG.  Success clears the flags, failure sets Z. */
#define RNDR "s3_3_c2_c4_0"
#define RNDRRS "s3_3_c2_c4_1"
#define READ(reg, w, ok) __asm__ volatile("mrs %0, " reg "\n\tcset %w1, ne" : "=r"(w), "=r"(ok) : : "cc")

bool cprng_cpu_rdrand(uint64_t *word)
{
	uint64_t w;
	uint32_t ok;

	if ((cprng_cpu_features() & CPRNG_CPU_ARM_RNG) == 0)
		return false;
	for (int i = 0; i < TRIES; i++) {
		READ(RNDR, w, ok);
		if (ok) {
			*word = w;
			return true;
		}
	}
	return false;
}

bool cprng_cpu_rdseed(uint64_t *word)
{
	uint64_t w;
	uint32_t ok;

	if ((cprng_cpu_features() & CPRNG_CPU_ARM_RNG) == 0)
		return false;
	for (int i = 0; i < TRIES; i++) {
		READ(RNDRRS, w, ok);
		if (ok) {
			*word = w;
			return true;
		}
	}
	return false;
}

uint64_t cprng_cpu_cycles(void)
{
	uint64_t count;

	/* DSB waits for earlier loads and cache maintenance; ISB keeps the counter from being read early. */
	__asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0" : "=r"(count) : : "memory");
	return count;
}

/* A failure is not retried: RNDR then gives 0. */
uint64_t cprng_cpu_random_word(void)
{
	uint64_t w;

	__asm__ volatile("mrs %0, " RNDR : "=r"(w) : : "cc");
	return w;
}

bool cprng_cpu_has_random_word(void)
{
	return (cprng_cpu_features() & CPRNG_CPU_ARM_RNG) != 0;
}

/* Counters run at 1 MHz to 1 GHz: a period is 2^-18 to 2^-17 seconds, 4 to 8 microseconds. */
enum { PERIODS_PER_SECOND_BITS = 17 };

uint64_t cprng_cpu_count(uint32_t *period)
{
	uint64_t count, frequency;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	*period = (uint32_t)(count >> (63 - __builtin_clzll(frequency >> PERIODS_PER_SECOND_BITS | 1)));
	return count;
}

bool cprng_cpu_flush(const void *p)
{
#ifdef __linux__
	/* Linux permits this in user code (SCTLR_EL1.UCI), and emulates it on CPUs with an erratum. */
	__asm__ volatile("dc civac, %0" : : "r"(p) : "memory");
	return true;
#else
	/* Windows does not permit it; for other systems this is unknown. */
	(void)p;
	return false;
#endif
}

#endif
