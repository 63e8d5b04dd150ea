// SPDX-License-Identifier: BSD-2-Clause
// -DHEADER=<...> -DREQUEST(to, len)=...: a function for bytes, which is true if it has worked; a number is a request of four.
#include HEADER
#include <unistd.h>

#include "check.h"

static void request(void *to, size_t len)
{
	if (!(REQUEST(to, len)))
		abort();
}

static uint32_t number(void)
{
	uint32_t value;
	request(&value, sizeof(value));
	return value;
}

CHECK(number(), request(buffer, sizeof(buffer)))
