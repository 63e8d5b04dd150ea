/* SPDX-License-Identifier: BSD-2-Clause */
#if !defined(__x86_64__) && !defined(__aarch64__)

#include "cpu/registers.h"

#include "core/wipe.h"

/* Without vector backends nothing stays in vector registers. */
void cprng_clear_registers(void)
{
}

void cprng_clear_general_registers(void)
{
}

void cprng_wipe_and_clear_registers(void *p, size_t len)
{
	cprng_wipe_lines(p, len);
}

#endif
