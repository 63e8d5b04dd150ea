/* SPDX-License-Identifier: BSD-2-Clause */
#if !defined(__x86_64__) && !defined(__aarch64__)

#include "cpu/registers.h"

#include "core/wipe.h"

/* All general registers that a callee may change.  gcc clears them by itself on these machines; clang cannot. */
#if CPRNG_HAS_ATTRIBUTE(zero_call_used_regs) && !defined(__clang__) && \
	(defined(__s390x__) || defined(__riscv) || defined(__arm__) || defined(__powerpc__) || defined(__mips__) || \
	 defined(__m68k__) || defined(__i386__))
#define CLEARS_GENERAL CPRNG_OPAQUE __attribute__((zero_call_used_regs("all-gpr")))
#else
#define CLEARS_GENERAL CPRNG_OPAQUE
#endif

/* There are no vector backends; but gcc copies memory through vector registers where each machine of a target has them. */
CPRNG_INLINE void clear_vectors(void)
{
#ifdef __VSX__
#define ZERO(n) "xxlxor " #n "," #n "," #n "\n\t"
	/* The Power ABI, 2.2.2: a callee may change 0 to 13, and 32 to 51, by another name v0 to v19. */
	__asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7) ZERO(8) ZERO(9) ZERO(10)
				 ZERO(11) ZERO(12) ZERO(13) ZERO(32) ZERO(33) ZERO(34) ZERO(35) ZERO(36) ZERO(37)
					 ZERO(38) ZERO(39) ZERO(40) ZERO(41) ZERO(42) ZERO(43) ZERO(44) ZERO(45)
						 ZERO(46) ZERO(47) ZERO(48) ZERO(49) ZERO(50) ZERO(51)
			 :
			 :
			 : "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8", "fr9", "fr10", "fr11", "fr12",
			   "fr13", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12",
			   "v13", "v14", "v15", "v16", "v17", "v18", "v19");
#undef ZERO
#endif
}

CLEARS_GENERAL void cprng_clear_registers(void)
{
	clear_vectors();
}

CLEARS_GENERAL void cprng_clear_general_registers(void)
{
}

CLEARS_GENERAL void cprng_wipe_and_clear_registers(void *p, size_t len)
{
	cprng_wipe_lines(p, len);
	clear_vectors();
}

#endif
