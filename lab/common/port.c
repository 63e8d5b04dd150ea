/* SPDX-License-Identifier: BSD-2-Clause */
/* The one thing that the freestanding objects ask of their environment. */
#include "core/port.h"

#include <sys/auxv.h>

unsigned long cprng_port_hwcap(unsigned int word)
{
	return getauxval(word == 1 ? AT_HWCAP : AT_HWCAP2);
}
