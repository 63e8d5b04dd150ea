// SPDX-License-Identifier: BSD-2-Clause
#include <cprng/cprng.h>

#include "check.h"

static uint32_t number(void)
{
	uint32_t value;
	cprng_strong(&value, sizeof(value));
	return value;
}

CHECK(number(), cprng_strong(buffer, sizeof(buffer)))
