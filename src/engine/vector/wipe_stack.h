/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure of the stack frame that a finished call has left. */
#ifndef CPRNG_ENGINE_VECTOR_WIPE_STACK_H
#define CPRNG_ENGINE_VECTOR_WIPE_STACK_H

#include "core/port.h"

/*
 * Define name(), which overwrites count units of stack below its caller.  Where more values are live than there are
 * registers, the compiler spills some of them (key, cipher state) to stack slots that C cannot name, and so cannot wipe.
 * A call of name() after a CPRNG_NOINLINE function, from the same caller, overwrites that function's frame.  The size is
 * the largest that -fstack-usage shows in optimised builds, and a margin for saved registers, alignment and red zone.
 *
 * Plain stores of a unit each: at these sizes a call of memset() or "rep stos" takes several times as long.  The
 * compiler must not know where they go, or it aligns the array for them and leaves a gap above.
 */
#define CPRNG_DEFINE_WIPE_STACK(name, unit, count) \
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
