/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Architectures of which nothing is known that user code may rely on: counters of RISC-V trap where the system wants it,
 * and its seed register is the machine's own.
 */
#include "cpu/noise.h"

bool cprng_cpu_seed(uint64_t *word)
{
	(void)word;
	return false;
}

bool cprng_cpu_random(uint64_t *word)
{
	(void)word;
	return false;
}

uint64_t cprng_cpu_cycles(void)
{
	return 0;
}

bool cprng_cpu_flush(const void *p)
{
	(void)p;
	return false;
}
