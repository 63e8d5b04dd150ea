/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__x86_64__)

#include "cpu/cpu.h"
#include "cpu/random_instructions.h"

/*
 * Intel's Digital Random Number Generator Software Implementation Guide: ten failures of RDRAND in a row indicate a broken CPU
 * (5.2.1).  RDSEED fails when the cores request more than its source yields: execute PAUSE between tries, and give up if the
 * caller cannot wait (5.3.1).  Ten tries are also enough for RDSEED: on Zen 5 a try takes 0.8 microseconds, and one millisecond
 * after the last words the first try succeeds for each of four words.
 */
enum { TRIES = 10 };

/*
 * Both use the 64-bit form: on AMD's Zen 5 the shorter forms of RDSEED may report success and return 0 or the previous word
 * (AMD-SB-7055).  In assembly, so that no function is compiled for more than the baseline.
 */
bool cprng_cpu_rdrand(uint64_t *word)
{
	uint64_t w;
	bool ok;

	if ((cprng_cpu_features() & CPRNG_CPU_RDRAND) == 0)
		return false;
	for (int i = 0; i < TRIES; i++) {
		__asm__ volatile("rdrand %0" : "=r"(w), "=@ccc"(ok));
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
	bool ok;

	if ((cprng_cpu_features() & CPRNG_CPU_RDSEED) == 0)
		return false;
	for (int i = 0; i < TRIES; i++) {
		__asm__ volatile("rdseed %0" : "=r"(w), "=@ccc"(ok));
		if (ok) {
			*word = w;
			return true;
		}
		__asm__ volatile("pause");
	}
	return false;
}

uint64_t cprng_cpu_cycles(void)
{
	uint32_t low, high;

	/* LFENCE waits for earlier loads; without it the counter would be read before they complete. */
	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

/* A failure is not retried: RDRAND then gives 0. */
uint64_t cprng_cpu_random_word(void)
{
	uint64_t w;

	__asm__ volatile("rdrand %0" : "=r"(w) : : "cc");
	return w;
}

bool cprng_cpu_has_random_word(void)
{
	return (cprng_cpu_features() & CPRNG_CPU_RDRAND) != 0;
}

/* The counter runs at 2 to 4 GHz, so a period is 4 to 8 microseconds. */
enum { PERIOD_BITS = 14 };

uint64_t cprng_cpu_count(uint32_t *period)
{
	uint32_t low, high;
	uint64_t count;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	count = (uint64_t)high << 32 | low;
	*period = (uint32_t)(count >> PERIOD_BITS);
	return count;
}

bool cprng_cpu_flush(const void *p)
{
	__asm__ volatile("clflush (%0)" : : "r"(p) : "memory");
	return true;
}

#endif
