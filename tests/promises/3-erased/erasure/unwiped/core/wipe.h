/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of src/core/wipe.h, for a library that erases nothing: the tests of erasure have to find that out. */
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
