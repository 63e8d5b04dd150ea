/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/engine.h"

/* Without vector backends nothing stays in vector registers. */
void cprng_clear_registers(void)
{
}
