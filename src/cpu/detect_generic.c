/* SPDX-License-Identifier: BSD-2-Clause */
/* Architectures that have the portable backend alone. */
#include "cpu/cpu.h"

uint32_t cprng_cpu_detect(void)
{
	return 0;
}
