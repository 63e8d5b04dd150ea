/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Architectures on which user code cannot rely on such instructions: on RISC-V reading a counter may trap, and the seed register
 * is for machine mode.
 */
#if !defined(__x86_64__) && !defined(__aarch64__)

#include "cpu/random_instructions.h"

bool cprng_cpu_rdseed(uint64_t *word)
{
	(void)word;
	return false;
}

bool cprng_cpu_rdrand(uint64_t *word)
{
	(void)word;
	return false;
}

uint64_t cprng_cpu_cycles(void)
{
	return 0;
}

uint64_t cprng_cpu_random_word(void)
{
	return 0;
}

bool cprng_cpu_has_random_word(void)
{
	return false;
}

uint64_t cprng_cpu_count(uint32_t *period)
{
	*period = 0;
	return 0;
}

bool cprng_cpu_flush(const void *p)
{
	(void)p;
	return false;
}

#endif
