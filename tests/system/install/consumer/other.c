/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

uint32_t other_draw(void);

uint32_t other_draw(void)
{
	return cprng_fast32();
}
