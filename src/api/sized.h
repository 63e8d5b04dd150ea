/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Structures that may grow: the caller's header may be older or newer than the library, so each call passes the size of its
 * structure.
 */
#ifndef CPRNG_API_SIZED_H
#define CPRNG_API_SIZED_H

#include "core/port.h"

/* Copy the fields that both sides know, and zero those that only the receiver knows.  `from` has no uninitialised padding. */
static inline void cprng_copy_sized(void *to, size_t to_size, const void *from, size_t from_size)
{
	const size_t common = to_size < from_size ? to_size : from_size;

	memcpy(to, from, common);
	memset((uint8_t *)to + common, 0, to_size - common);
}

#endif
