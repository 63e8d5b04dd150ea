/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions that the freestanding objects require. */
#include "core/port.h"

#include <sys/auxv.h>

unsigned long cprng_port_hwcap(unsigned int word)
{
	return getauxval(word == 1 ? AT_HWCAP : AT_HWCAP2);
}

bool cprng_port_cpuid(uint32_t leaf, uint32_t answer[4])
{
	(void)leaf;
	(void)answer;
	return false;
}
