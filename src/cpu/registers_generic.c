/* SPDX-License-Identifier: BSD-2-Clause */
#if !defined(__x86_64__) && !defined(__aarch64__)

#include "cpu/registers.h"

#include "core/wipe.h"
#include "cpu/target.h"

/* Clear all general registers that a callee may change.  gcc can emit this code on these machines; clang cannot. */
#if CPRNG_HAS_ATTRIBUTE(zero_call_used_regs) && !defined(__clang__) && \
	(defined(__s390x__) || defined(__riscv) || defined(__arm__) || defined(__powerpc__) || defined(__mips__) || \
	 defined(__m68k__) || defined(__i386__))
#define CLEARS_GENERAL CPRNG_OPAQUE __attribute__((zero_call_used_regs("all-gpr")))
#else
#define CLEARS_GENERAL CPRNG_OPAQUE
#endif

/*
 * There are no vector backends, but memory may be copied through vector registers: by gcc if every machine of the target has
 * them, and by glibc for i686 if this one does.  An environment with its own CPRNG_PORT_HEADER has its own memcpy(), which may
 * not use them.
 */
#if defined(__i386__) && (defined(__SSE2__) || !defined(CPRNG_PORT_HEADER))
#include <cpuid.h>

static bool has_xmm(void)
{
#ifdef __SSE2__
	return true;
#else
	enum { UNKNOWN, ABSENT, PRESENT };
	static int known; /* several threads may store it */
	int found = __atomic_load_n(&known, __ATOMIC_RELAXED);
	unsigned int a, b, c, d;

	if (CPRNG_UNLIKELY(found == UNKNOWN)) {
		found = __get_cpuid(1, &a, &b, &c, &d) && (d & bit_SSE2) ? PRESENT : ABSENT;
		__atomic_store_n(&known, found, __ATOMIC_RELAXED);
	}
	return found == PRESENT;
#endif
}

/* Also clears general registers, because functions may end with a jump to it. */
CPRNG_TARGET_BEGIN("sse2")
CLEARS_GENERAL static void clear_xmm(void)
{
#define ZERO(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"
	__asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7)
			 :
			 :
			 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
#undef ZERO
}
CPRNG_TARGET_END
#define CLEAR_XMM
#endif

CPRNG_INLINE void clear_vectors(void)
{
#if defined(__VSX__)
#define ZERO(n) "xxlxor " #n "," #n "," #n "\n\t"
	/* Power ABI, 2.2.2: a callee may change registers 0 to 13, and 32 to 51, which are also v0 to v19. */
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
#elif defined(__ARM_FP) && (!defined(__thumb__) || defined(__thumb2__)) /* no instruction of Thumb-1 reaches them */
#define ZERO(n) "vmov d" #n ", %0, %0\n\t"
	/* AAPCS32, 6.1.2: a callee may change d0 to d7, and d16 to d31 where NEON has them.  glibc copies through the former. */
	__asm__ volatile(ZERO(0) ZERO(1) ZERO(2) ZERO(3) ZERO(4) ZERO(5) ZERO(6) ZERO(7)
			 :
			 : "r"(0)
			 : "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7");
#ifdef __ARM_NEON
	__asm__ volatile(ZERO(16) ZERO(17) ZERO(18) ZERO(19) ZERO(20) ZERO(21) ZERO(22) ZERO(23) ZERO(24) ZERO(25)
				 ZERO(26) ZERO(27) ZERO(28) ZERO(29) ZERO(30) ZERO(31)
			 :
			 : "r"(0)
			 : "d16", "d17", "d18", "d19", "d20", "d21", "d22", "d23", "d24", "d25", "d26", "d27", "d28",
			   "d29", "d30", "d31");
#endif
#undef ZERO
#endif
#ifdef CLEAR_XMM
	if (has_xmm())
		clear_xmm();
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
