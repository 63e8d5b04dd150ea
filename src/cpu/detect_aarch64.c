/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__aarch64__)

#include "cpu/cpu.h"

/* Linux arch/arm64/include/uapi/asm/hwcap.h */
#define HWCAP_AES (1ul << 3)
#define HWCAP2_RNG (1ul << 16)

uint32_t cprng_cpu_detect(void)
{
	uint32_t found = 0;

	if (cprng_port_hwcap(1) & HWCAP_AES)
		found |= CPRNG_CPU_ARM_AES;
	if (cprng_port_hwcap(2) & HWCAP2_RNG)
		found |= CPRNG_CPU_ARM_RNG;
	return found;
}

#endif
