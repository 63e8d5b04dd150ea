/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure that the compiler cannot remove. */
#ifndef CPRNG_CORE_WIPE_H
#define CPRNG_CORE_WIPE_H

#include "core/port.h"

/*
 * Fill len bytes at p with zeros.  The empty asm takes the pointer and declares that it reads memory, so the compiler must keep
 * the stores before it (the technique of memzero_explicit and explicit_bzero, without the call).
 */
CPRNG_INLINE void cprng_wipe(void *p, size_t len)
{
	memset(p, 0, len);
	__asm__ volatile("" : : "r"(p) : "memory");
}

/*
 * The same for whole cache lines, with p aligned to a line: vector stores without checks of length and alignment.
 */
CPRNG_INLINE void cprng_wipe_lines(void *p, size_t len)
{
	typedef uint64_t line __attribute__((vector_size(64), may_alias));
	line *l = (line *)__builtin_assume_aligned(p, 64);

	for (size_t i = 0; i < len / sizeof(line); i++) {
		l[i] = (line){ 0 };
		__asm__ volatile("" : : "r"(p) : "memory"); /* no memset(): "rep stos" takes twice as long */
	}
}

#endif
