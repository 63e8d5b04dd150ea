/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure of the stack that a finished call has left behind. */
#ifndef CPRNG_ENGINE_VECTOR_BURN_H
#define CPRNG_ENGINE_VECTOR_BURN_H

#include "core/port.h"

/*
 * Define name(): overwrite count units of stack below its caller.  Where more values are in use than there are
 * registers, the compiler keeps some of them (key, cipher state) in stack slots that have no name to be wiped by.
 * Called after a CPRNG_NOINLINE function, from the same caller, this overwrites that function's frame.  The size is the
 * largest that -fstack-usage shows in optimised builds, and a margin for saved registers, alignment and red zone.
 *
 * Plain stores of a unit each: at these sizes a call of memset() or "rep stos" takes several times as long.  The
 * compiler must not know where they go, or it aligns the array for them and leaves a gap above.
 */
#define CPRNG_DEFINE_BURN(name, unit, count) \
	static CPRNG_NOINLINE void name(void) \
	{ \
		typedef unit name##_unit __attribute__((aligned(8))); \
		name##_unit frame[count]; \
		volatile name##_unit *p = frame; \
		size_t i; \
\
		__asm__ volatile("" : "+r"(p)); \
		for (i = 0; i < (count); i++) \
			p[i] = (unit){ 0 }; \
	}

#endif
