/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__aarch64__)

#include "cpu/registers.h"

#include "core/wipe.h"

/*
 * x18 must not be changed if the platform uses it (AAPCS64, 6.1.1).  Linux programs do not, except on Android; a shadow call
 * stack does, and an environment with its own CPRNG_PORT_HEADER may.
 */
#if defined(__has_feature)
#if __has_feature(shadow_call_stack)
#define REGISTER_18_IS_TAKEN
#endif
#endif
#if defined(__linux__) && !defined(__ANDROID__) && !defined(CPRNG_PORT_HEADER) && !defined(REGISTER_18_IS_TAKEN)
#define REGISTER_18
#endif

void cprng_clear_registers(void)
{
#define ZERO(n) "movi v" #n ".16b, #0\n\t"
	__asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(8) ZERO(9) ZERO(10)
				 ZERO(11) ZERO(12) ZERO(13) ZERO(14) ZERO(15) ZERO(16) ZERO(17) ZERO(18) ZERO(19)
					 ZERO(20) ZERO(21) ZERO(22) ZERO(23) ZERO(24) ZERO(25) ZERO(26) ZERO(27)
						 ZERO(28) ZERO(29) ZERO(30) ZERO(31)
			 :
			 :
			 : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13",
			   "v14", "v15", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
			   "v27", "v28", "v29", "v30", "v31");
#undef ZERO
	cprng_clear_general_registers();
}

/* Clear the registers that a callee may change; the others have the values from before the call of the cipher. */
void cprng_clear_general_registers(void)
{
#define ZERO(n) "mov x" #n ", xzr\n\t"
	__asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(8) ZERO(9) ZERO(10)
				 ZERO(11) ZERO(12) ZERO(13) ZERO(14) ZERO(15) ZERO(16) ZERO(17)
			 :
			 :
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
			   "x14", "x15", "x16", "x17");
#undef ZERO
#ifdef REGISTER_18
	__asm__ volatile("mov x18, xzr" : : : "x18");
#endif
}

void cprng_wipe_and_clear_registers(void *p, size_t len)
{
	cprng_wipe_lines(p, len);
	cprng_clear_registers();
}

#endif
