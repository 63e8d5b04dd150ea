// SPDX-License-Identifier: BSD-2-Clause
#include <openssl/rand.h>

#include "check.h"

static uint32_t number(void)
{
	uint32_t value;
	if (RAND_bytes((unsigned char *)&value, sizeof(value)) != 1)
		abort();
	return value;
}

static void fill(void)
{
	if (RAND_bytes(buffer, sizeof(buffer)) != 1)
		abort();
}

CHECK(number(), fill())
