// SPDX-License-Identifier: BSD-2-Clause
#include <sodium.h>

#include "check.h"

static void once(void) __attribute__((constructor));

static void once(void)
{
#ifdef INTERNAL
	randombytes_set_implementation(&randombytes_internal_implementation);
#endif
	if (sodium_init() < 0)
		abort();
}

CHECK(randombytes_random(), randombytes_buf(buffer, sizeof(buffer)))
