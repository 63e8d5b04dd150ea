/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure that the compiler may not remove. */
#ifndef CPRNG_CORE_WIPE_H
#define CPRNG_CORE_WIPE_H

#include "core/port.h"

/*
 * Fill len bytes at p with zeros.  The empty asm takes the pointer and says that it reads memory, so the stores before
 * it cannot be dead (the argument of memzero_explicit and explicit_bzero, without the call).
 */
CPRNG_INLINE void cprng_wipe(void *p, size_t len)
{
	memset(p, 0, len);
	__asm__ volatile("" : : "r"(p) : "memory");
}

#endif
