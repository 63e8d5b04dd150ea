/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__x86_64__)

#include "cpu/registers.h"

#include "cpu/cpu.h"
#include "cpu/target.h"

/*
 * The vector registers that are zeroed, and the clobbers of the assembly that does it.
 *
 * On Windows xmm6 to xmm15, rsi and rdi are callee-saved.  As clobbers, the compiler would save them to the stack, and they may
 * hold a secret of the function that wants registers cleared; that function restores them when it returns.  So the assembly
 * clears only their upper parts, which are not callee-saved, by moving the lower part to itself.
 */
#ifdef _WIN32
#define ZERO_EACH(zero) zero(0) zero(1) zero(2) zero(3) zero(4) zero(5)
#define KEEP(n) "vmovdqa %%xmm" #n ", %%xmm" #n "\n\t"
#define ZERO_AVX(n) "vpxor %%xmm" #n ", %%xmm" #n ", %%xmm" #n "\n\t"
#define ZERO_ALL \
	ZERO_EACH(ZERO_AVX) KEEP(6) KEEP(7) KEEP(8) KEEP(9) KEEP(10) KEEP(11) KEEP(12) KEEP(13) KEEP(14) KEEP(15)
#define ZEROED "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5"
#define CLEAR_ARGUMENTS ""
#define CLEARED_ARGUMENTS
#else
#define ZERO_EACH(zero) \
	zero(0) zero(1) zero(2) zero(3) zero(4) zero(5) zero(6) zero(7) zero(8) zero(9) zero(10) zero(11) zero(12) \
		zero(13) zero(14) zero(15)
#define ZERO_ALL "vzeroall\n\t"
#define ZEROED \
	"xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
		"xmm13", "xmm14", "xmm15"
#define CLEAR_ARGUMENTS \
	"xorl %%esi, %%esi\n\t" \
	"xorl %%edi, %%edi\n\t"
#define CLEARED_ARGUMENTS , "rsi", "rdi"
#endif

/* Zero each line of p[len]; `stores` zeroes one line. */
#define WIPE_LINES(stores) \
	"jmp 2f\n" \
	"1:\t" stores "2:\tsubq $64, %[len]\n\t" \
	"jae 1b"

CPRNG_TARGET_BEGIN("avx512f")
static void clear_zmm(uint64_t p, uint64_t len)
{
#define ZERO(n) "vpxord %%zmm" #n ", %%zmm" #n ", %%zmm" #n "\n\t"
/* All 64 bits of a mask register, which may hold a bit for each number that was compared. */
#define ZERO_MASK(n) "kxorw %%k" #n ", %%k" #n ", %%k" #n "\n\t"
	__asm__ volatile(ZERO_ALL ZERO(16) ZERO(17) ZERO(18) ZERO(19) ZERO(20) ZERO(21) ZERO(22) ZERO(23) ZERO(24)
				 ZERO(25) ZERO(26) ZERO(27) ZERO(28) ZERO(29) ZERO(30) ZERO(31) ZERO_MASK(0)
					 ZERO_MASK(1) ZERO_MASK(2) ZERO_MASK(3) ZERO_MASK(4) ZERO_MASK(5) ZERO_MASK(6)
						 ZERO_MASK(7) WIPE_LINES("vmovdqa64 %%zmm0, (%[p],%[len])\n")
			 : [len] "+&r"(len)
			 : [p] "r"(p)
			 : "memory", "cc", ZEROED, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22",
			   "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1",
			   "k2", "k3", "k4", "k5", "k6", "k7");
#undef ZERO
#undef ZERO_MASK
}
CPRNG_TARGET_END

CPRNG_TARGET_BEGIN("avx")
static void clear_ymm(uint64_t p, uint64_t len)
{
	__asm__ volatile(ZERO_ALL WIPE_LINES("vmovdqa %%ymm0, (%[p],%[len])\n\t"
					     "vmovdqa %%ymm0, 32(%[p],%[len])\n")
			 : [len] "+&r"(len)
			 : [p] "r"(p)
			 : "memory", "cc", ZEROED);
}
CPRNG_TARGET_END

CPRNG_TARGET_BEGIN("sse2")
static void clear_xmm(uint64_t p, uint64_t len)
{
#define ZERO(n) "pxor %%xmm" #n ", %%xmm" #n "\n\t"
	__asm__ volatile(ZERO_EACH(ZERO) WIPE_LINES("movdqa %%xmm0, (%[p],%[len])\n\t"
						    "movdqa %%xmm0, 16(%[p],%[len])\n\t"
						    "movdqa %%xmm0, 32(%[p],%[len])\n\t"
						    "movdqa %%xmm0, 48(%[p],%[len])\n")
			 : [len] "+&r"(len)
			 : [p] "r"(p)
			 : "memory", "cc", ZEROED);
#undef ZERO
}
CPRNG_TARGET_END

/* Clear the registers that a callee may change; the others have the values from before the call of the cipher. */
#define CLEAR_OTHERS \
	"xorl %%eax, %%eax\n\t" \
	"xorl %%ecx, %%ecx\n\t" \
	"xorl %%edx, %%edx\n\t" \
	"xorl %%r8d, %%r8d\n\t" \
	"xorl %%r9d, %%r9d\n\t" \
	"xorl %%r10d, %%r10d\n\t" \
	"xorl %%r11d, %%r11d"

CPRNG_INLINE void clear_general(void)
{
	__asm__ volatile(CLEAR_ARGUMENTS CLEAR_OTHERS
			 :
			 :
			 : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc" CLEARED_ARGUMENTS);
}

void cprng_clear_general_registers(void)
{
	clear_general();
}

static CPRNG_NOINLINE void wipe_and_clear(void *p, size_t len)
{
	const uint32_t features = cprng_cpu_features();
	/* 64 bits, for 32-bit pointers too (x32). */
	const uint64_t at = (uintptr_t)p;

	if (features & CPRNG_CPU_AVX512)
		clear_zmm(at, len);
	else if (features & CPRNG_CPU_AVX2)
		clear_ymm(at, len);
	else
		clear_xmm(at, len);
	clear_general();
}

/*
 * To align the stack, clang pushes rax, and pops it at the end.  It does not do so in a function that ends with a jump to another
 * one, and when the other one pushes rax, rax has been cleared.
 */
void cprng_wipe_and_clear_registers(void *p, size_t len)
{
	__asm__ volatile(CLEAR_OTHERS : : : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "cc");
	wipe_and_clear(p, len);
}

void cprng_clear_registers(void)
{
	cprng_wipe_and_clear_registers(NULL, 0);
}

#endif
