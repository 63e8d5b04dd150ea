/* SPDX-License-Identifier: BSD-2-Clause */
/* A plugin that contains the static library. */
#include <cprng/cprng.h>

uint64_t plugin_draw(void);

uint64_t plugin_draw(void)
{
	return cprng_fast64();
}
