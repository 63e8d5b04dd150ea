// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include <sys/syscall.h>
#include <unistd.h>

static uint32_t number(void)
{
	uint32_t value;
	if (syscall(SYS_getrandom, &value, sizeof(value), 0) != sizeof(value))
		abort();
	return value;
}

static void fill(void)
{
	if (syscall(SYS_getrandom, buffer, sizeof(buffer), 0) != sizeof(buffer))
		abort();
}

CHECK(number(), fill())
