/* SPDX-License-Identifier: BSD-2-Clause */
/* Architectures for which there is no backend beside the portable one. */
#include "cpu/cpu.h"

uint32_t cprng_cpu_detect(void)
{
	return 0;
}
