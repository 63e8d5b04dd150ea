// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include <unistd.h>

static uint32_t number(void)
{
	uint32_t value;
	if (getentropy(&value, sizeof(value)) != 0)
		abort();
	return value;
}

static void fill(void)
{
	if (getentropy(buffer, sizeof(buffer)) != 0)
		abort();
}

CHECK(number(), fill())
