/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/cpu.h"
#include "cpu/detect.h"

/* Linux arch/arm64/include/uapi/asm/hwcap.h */
#define HWCAP_AES (1ul << 3)

uint32_t cprng_cpu_detect(void)
{
	return (cprng_port_hwcap(1) & HWCAP_AES) ? CPRNG_CPU_ARM_AES : 0;
}
