/* SPDX-License-Identifier: BSD-2-Clause */
/* Erasure of the stack frames that a completed call has left behind. */
#ifndef CPRNG_CORE_WIPE_STACK_H
#define CPRNG_CORE_WIPE_STACK_H

#include "core/port.h"

/*
 * Define name(), which overwrites count units of stack below its caller.  Variables are wiped where they are used; but the
 * compiler also spills keys and cipher state to stack slots that C cannot name, where more values are live than there are
 * registers or where a function saves its caller's.  A call of name() after a CPRNG_NOINLINE function, from the same
 * caller, overwrites the frames of that function and of what it called.  The size is the largest that -fstack-usage shows
 * in optimised builds, and a margin for saved registers, alignment and red zone.  It also bounds the stack that the caller
 * needs, which may be a signal's alternate stack of a few KiB.
 *
 * Plain stores of a unit each, unrolled: at these sizes a call of memset() or "rep stos" takes several times as long.  The
 * address is hidden from the compiler, which would otherwise align the array for the stores and leave a gap above it.
 */
#define CPRNG_DEFINE_WIPE_STACK(name, unit, count) \
	static CPRNG_NOINLINE CPRNG_NO_CANARY void name(void) \
	{ \
		typedef unit name##_unit __attribute__((aligned(8))); \
		name##_unit frame[count]; \
		volatile name##_unit *p = frame; \
		size_t i; \
\
		__asm__ volatile("" : "+r"(p)); \
		_Pragma("GCC unroll 8") for (i = 0; i < (count); i++) p[i] = (unit){ 0 }; \
	}

/* A unit for frames of some KiB: on a machine with vectors, half as many stores as with words. */
typedef uint64_t cprng_wipe_unit __attribute__((vector_size(16)));

#endif
