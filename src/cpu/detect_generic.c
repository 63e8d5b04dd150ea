/* SPDX-License-Identifier: BSD-2-Clause */
/* Architectures that have only the portable backend. */
#if !defined(__x86_64__) && !defined(__aarch64__)

#include "cpu/cpu.h"

uint32_t cprng_cpu_detect(void)
{
	return 0;
}

#endif
