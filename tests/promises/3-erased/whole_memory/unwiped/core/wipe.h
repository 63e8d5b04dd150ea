/* SPDX-License-Identifier: BSD-2-Clause */
/* Replaces src/core/wipe.h in a library that erases nothing.  The erasure tests must detect that. */
#ifndef CPRNG_CORE_WIPE_H
#define CPRNG_CORE_WIPE_H

#include "core/port.h"

CPRNG_INLINE void cprng_wipe(void *p, size_t len)
{
	(void)p;
	(void)len;
}

CPRNG_INLINE void cprng_wipe_lines(void *p, size_t len)
{
	(void)p;
	(void)len;
}

#endif
