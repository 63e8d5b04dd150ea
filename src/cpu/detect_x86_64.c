/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__x86_64__)

#include "cpu/cpu.h"

#include <cpuid.h>

/* Bits of CPUID and XCR0: Intel 64 Architectures Software Developer's Manual, volume 2A (CPUID) and 1, chapter 13. */
enum {
	LEAF1_ECX_SSSE3 = 1u << 9,
	LEAF1_ECX_SSE41 = 1u << 19,
	LEAF1_ECX_POPCNT = 1u << 23,
	LEAF1_ECX_AES = 1u << 25,
	LEAF1_ECX_OSXSAVE = 1u << 27,
	LEAF1_ECX_AVX = 1u << 28,
	LEAF1_ECX_RDRAND = 1u << 30,
	LEAF7_EBX_AVX2 = 1u << 5,
	LEAF7_EBX_AVX512F = 1u << 16,
	LEAF7_EBX_AVX512DQ = 1u << 17,
	LEAF7_EBX_RDSEED = 1u << 18,
	LEAF7_EBX_AVX512BW = 1u << 30,
	LEAF7_ECX_VAES = 1u << 9,
	XCR0_YMM = 0x06, /* xmm and the upper halves of ymm */
	XCR0_ZMM = 0xe6, /* besides: mask registers, upper halves of zmm0-15, zmm16-31 */
};
enum { EAX, EBX, ECX, EDX };
#define LEAF7_EBX_AVX512VL (1u << 31)

/*
 * gcc for Windows stores vectors of 256 bits and more to its frames with aligned moves, which fault because the ABI aligns the
 * stack only to 16 bytes (gcc bug 54412).  The assembler's option -muse-unaligned-vector-move replaces these moves; a build that
 * passes -Wa,-muse-unaligned-vector-move defines CPRNG_UNALIGNED_VECTOR_MOVE.
 */
#if defined(_WIN32) && !defined(__clang__) && !defined(CPRNG_UNALIGNED_VECTOR_MOVE)
#define WIDE_FRAMES false
#else
#define WIDE_FRAMES true
#endif

static uint32_t xcr0(void)
{
	uint32_t low, high;

	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* Execute CPUID, or get its result from the system; all 0 for a leaf that the CPU does not have. */
static void ask(uint32_t leaf, uint32_t answer[4])
{
	if (!cprng_port_cpuid(leaf, answer) &&
	    !__get_cpuid_count(leaf, 0, &answer[EAX], &answer[EBX], &answer[ECX], &answer[EDX]))
		memset(answer, 0, 4 * sizeof(answer[0]));
}

uint32_t cprng_cpu_detect(void)
{
	const uint32_t avx512 = LEAF7_EBX_AVX512F | LEAF7_EBX_AVX512DQ | LEAF7_EBX_AVX512BW | LEAF7_EBX_AVX512VL;
	uint32_t leaf1[4], leaf7[4], c, b7, c7, saved, found = 0;

	ask(1, leaf1);
	ask(7, leaf7);
	c = leaf1[ECX];
	b7 = leaf7[EBX];
	c7 = leaf7[ECX];
	if (c & LEAF1_ECX_SSSE3)
		found |= CPRNG_CPU_SSSE3;
	if ((c & LEAF1_ECX_AES) && (c & LEAF1_ECX_SSE41))
		found |= CPRNG_CPU_AESNI;
	if (c & LEAF1_ECX_RDRAND)
		found |= CPRNG_CPU_RDRAND;
	if (b7 & LEAF7_EBX_RDSEED)
		found |= CPRNG_CPU_RDSEED;
	if (!WIDE_FRAMES || !(c & LEAF1_ECX_OSXSAVE) || !(c & LEAF1_ECX_AVX))
		return found;

	saved = xcr0();
	/* Code for AVX2 may use POPCNT: compilers' option for the one includes the other. */
	if ((saved & XCR0_YMM) != XCR0_YMM || !(b7 & LEAF7_EBX_AVX2) || !(c & LEAF1_ECX_POPCNT))
		return found;
	found |= CPRNG_CPU_AVX2;
	if ((c7 & LEAF7_ECX_VAES) && (found & CPRNG_CPU_AESNI))
		found |= CPRNG_CPU_VAES;
	if ((saved & XCR0_ZMM) == XCR0_ZMM && (b7 & avx512) == avx512)
		found |= CPRNG_CPU_AVX512;
	return found;
}

#endif
