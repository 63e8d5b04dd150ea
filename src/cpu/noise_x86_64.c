/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/cpu.h"
#include "cpu/noise.h"

/*
 * Intel's Digital Random Number Generator Software Implementation Guide: ten failures of RDRAND in a row are a fault of
 * the CPU (5.2.1).  RDSEED may be asked for more than there is, and by all cores at once: PAUSE between tries, and a
 * caller that cannot wait gives up (5.3.1).  As many do for it: on Zen 5 a try takes 0.8 microseconds, and every first
 * one of four words succeeds a millisecond after the last.
 */
enum { TRIES = 10 };

/*
 * Both in the form of 64 bits: on AMD's Zen 5 the shorter forms of RDSEED give 0 with success (AMD-SB-7055).  By asm, so
 * that no function is compiled for more than the baseline.
 */
bool cprng_cpu_random(uint64_t *word)
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

bool cprng_cpu_seed(uint64_t *word)
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

	/* LFENCE waits for the loads before it; without it the counter is read while they are under way. */
	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

bool cprng_cpu_flush(const void *p)
{
	__asm__ volatile("clflush (%0)" : : "r"(p) : "memory");
	return true;
}
