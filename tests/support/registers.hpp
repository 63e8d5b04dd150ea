// SPDX-License-Identifier: BSD-2-Clause
// The contents of call-clobbered registers after a call, on the processors known here.
#ifndef CPRNG_TESTS_REGISTERS_HPP
#define CPRNG_TESTS_REGISTERS_HPP

#include "cpu/cpu.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace registers {

constexpr std::uint8_t pattern = 0xa5; // every byte before the call, except in the function's address

struct Contents {
	// Register n occupies the bytes at 64 * n.
	alignas(64) std::uint8_t vectors[32 * 64];
	std::uint64_t general[19];
	std::uint64_t masks[8];
	std::size_t number_of_vectors, bytes_of_a_vector, number_of_general, number_of_masks;
	bool kept = true; // whether call-preserved parts are unchanged; they are not among the contents
};

#if defined(__x86_64__)

#define CPRNG_EACH_OF_16(op) \
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)
#define CPRNG_EACH_OF_32(op) \
	CPRNG_EACH_OF_16(op) \
	op(16) op(17) op(18) op(19) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27) op(28) op(29) op(30) op(31)

// Additional clobbers if the compiler targets such a CPU.
#ifdef __AVX512F__
#define CPRNG_WIDE_CLOBBERS \
	, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
		"xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define CPRNG_WIDE_CLOBBERS
#endif

// The compiler may use the red zone below the stack pointer, which the call must not overwrite.
#define CPRNG_CALL_BETWEEN(loads, stores) \
	__asm__ volatile("movq %%rsp, %%r13\n\t" \
			 "subq $256, %%rsp\n\t" \
			 "andq $-64, %%rsp\n\t" \
			 "movq %%rdi, %%r12\n\t" loads "movq (%%r12), %%rcx\n\t" \
			 "movq %%rcx, %%rdx\n\t" \
			 "movq %%rcx, %%rsi\n\t" \
			 "movq %%rcx, %%rdi\n\t" \
			 "movq %%rcx, %%r8\n\t" \
			 "movq %%rcx, %%r9\n\t" \
			 "movq %%rcx, %%r10\n\t" \
			 "movq %%rcx, %%r11\n\t" \
			 "call *%%rax\n\t" stores "movq %%rax, 2048(%%r12)\n\t" \
			 "movq %%rcx, 2056(%%r12)\n\t" \
			 "movq %%rdx, 2064(%%r12)\n\t" \
			 "movq %%rsi, 2072(%%r12)\n\t" \
			 "movq %%rdi, 2080(%%r12)\n\t" \
			 "movq %%r8, 2088(%%r12)\n\t" \
			 "movq %%r9, 2096(%%r12)\n\t" \
			 "movq %%r10, 2104(%%r12)\n\t" \
			 "movq %%r11, 2112(%%r12)\n\t" \
			 "movq %%r13, %%rsp" \
			 : "+a"(address), "+D"(contents) \
			 : \
			 : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "memory", "cc", "xmm0", \
			   "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
			   "xmm12", "xmm13", "xmm14", "xmm15")

#define CPRNG_LOAD_ZMM(n) "vmovdqa64 64*" #n "(%%r12), %%zmm" #n "\n\t"
#define CPRNG_STORE_ZMM(n) "vmovdqa64 %%zmm" #n ", 64*" #n "(%%r12)\n\t"
// The masks come after the vectors and the general registers.
#define CPRNG_EACH_OF_8(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define CPRNG_LOAD_MASK(n) "kmovq 2200+8*" #n "(%%r12), %%k" #n "\n\t"
#define CPRNG_STORE_MASK(n) "kmovq %%k" #n ", 2200+8*" #n "(%%r12)\n\t"
static_assert(offsetof(Contents, masks) == 2200, "where the instructions have it");
#define CPRNG_LOAD_YMM(n) "vmovdqa 64*" #n "(%%r12), %%ymm" #n "\n\t"
#define CPRNG_STORE_YMM(n) "vmovdqa %%ymm" #n ", 64*" #n "(%%r12)\n\t"
#define CPRNG_LOAD_XMM(n) "movdqa 64*" #n "(%%r12), %%xmm" #n "\n\t"
#define CPRNG_STORE_XMM(n) "movdqa %%xmm" #n ", 64*" #n "(%%r12)\n\t"

// On Windows a call preserves the lower halves of xmm6 to xmm15, and rsi and rdi, which are general registers 3 and 4 here.
inline void without_kept(Contents *of)
{
#ifdef _WIN64
	const std::size_t half = 16;

	of->kept = true;
	for (std::size_t vector = 6; vector < 16; vector++) {
		std::uint8_t *const lower = of->vectors + 64 * vector;
		for (std::size_t i = 0; i < half; i++)
			of->kept = of->kept && lower[i] == pattern;
		if (of->bytes_of_a_vector > half)
			std::memcpy(lower, lower + half, half);
		else
			std::memcpy(lower, of->vectors, half);
	}
	for (std::size_t general : { 3, 4 }) {
		of->kept = of->kept && of->general[general] == pattern * (UINT64_MAX / 255);
		of->general[general] = of->general[0];
	}
#else
	(void)of;
#endif
}

// All registers that backends under the ceiling use.
inline bool left_by(void (*function)(), Contents *of)
{
	const std::uint32_t features = cprng_cpu_features();
	std::uint64_t address = reinterpret_cast<std::uintptr_t>(function);
	std::uint64_t contents = reinterpret_cast<std::uintptr_t>(of);

	std::memset(of->vectors, pattern, sizeof(of->vectors));
	std::memset(of->masks, pattern, sizeof(of->masks));
	of->number_of_general = 9;
	of->number_of_masks = 0;
	if ((features & CPRNG_CPU_AVX512) != 0) {
		of->number_of_vectors = 32;
		of->bytes_of_a_vector = 64;
		of->number_of_masks = 8;
		CPRNG_CALL_BETWEEN(CPRNG_EACH_OF_32(CPRNG_LOAD_ZMM) CPRNG_EACH_OF_8(CPRNG_LOAD_MASK),
				   CPRNG_EACH_OF_32(CPRNG_STORE_ZMM)
					   CPRNG_EACH_OF_8(CPRNG_STORE_MASK) "vzeroupper\n\t");
	} else if ((features & CPRNG_CPU_AVX2) != 0) {
		of->number_of_vectors = 16;
		of->bytes_of_a_vector = 32;
		CPRNG_CALL_BETWEEN(CPRNG_EACH_OF_16(CPRNG_LOAD_YMM),
				   CPRNG_EACH_OF_16(CPRNG_STORE_YMM) "vzeroupper\n\t");
	} else {
		of->number_of_vectors = 16;
		of->bytes_of_a_vector = 16;
		CPRNG_CALL_BETWEEN(CPRNG_EACH_OF_16(CPRNG_LOAD_XMM), CPRNG_EACH_OF_16(CPRNG_STORE_XMM));
	}
	without_kept(of);
	return true;
}

#undef CPRNG_EACH_OF_8
#undef CPRNG_EACH_OF_16
#undef CPRNG_EACH_OF_32
#undef CPRNG_LOAD_MASK
#undef CPRNG_STORE_MASK
#undef CPRNG_CALL_BETWEEN
#undef CPRNG_WIDE_CLOBBERS
#undef CPRNG_LOAD_ZMM
#undef CPRNG_STORE_ZMM
#undef CPRNG_LOAD_YMM
#undef CPRNG_STORE_YMM
#undef CPRNG_LOAD_XMM
#undef CPRNG_STORE_XMM

// The upper halves of general registers stay 0.
#elif defined(__i386__)

#define CPRNG_EACH_OF_8(op) op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7)
#define CPRNG_LOAD(n) "movdqa 64*" #n "(%%esi), %%xmm" #n "\n\t"
#define CPRNG_STORE(n) "movdqa %%xmm" #n ", 64*" #n "(%%esi)\n\t"

__attribute__((target("sse2"))) inline bool left_by(void (*function)(), Contents *of)
{
	Contents *contents = of;

	std::memset(of->vectors, pattern, sizeof(of->vectors));
	std::memset(of->general, 0, sizeof(of->general));
	of->number_of_vectors = 8;
	of->bytes_of_a_vector = 16;
	of->number_of_general = 3;
	of->number_of_masks = 0;
	__asm__ volatile("movl %%esp, %%edi\n\t"
			 "andl $-16, %%esp\n\t" CPRNG_EACH_OF_8(
				 CPRNG_LOAD) "movl (%%esi), %%ecx\n\t"
					     "movl %%ecx, %%edx\n\t"
					     "call *%%eax\n\t" CPRNG_EACH_OF_8(
						     CPRNG_STORE) "movl %%eax, 2048(%%esi)\n\t"
								  "movl %%ecx, 2056(%%esi)\n\t"
								  "movl %%edx, 2064(%%esi)\n\t"
								  "movl %%edi, %%esp"
			 : "+a"(function), "+S"(contents)
			 :
			 : "ecx", "edx", "edi", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
			   "xmm7");
	return true;
}

#undef CPRNG_EACH_OF_8
#undef CPRNG_LOAD
#undef CPRNG_STORE

// On Linux, except Android, a call may also change x18.
#elif defined(__aarch64__) && defined(__AARCH64EL__) && defined(__linux__) && !defined(__ANDROID__)

#define CPRNG_EACH_OF_16(op) \
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9) op(10) op(11) op(12) op(13) op(14) op(15)
#define CPRNG_EACH_OF_32(op) \
	CPRNG_EACH_OF_16(op) \
	op(16) op(17) op(18) op(19) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27) op(28) op(29) op(30) op(31)
#define CPRNG_LOAD(n) "ldr q" #n ", [x19, #64*" #n "]\n\t"
#define CPRNG_STORE(n) "str q" #n ", [x19, #64*" #n "]\n\t"
#define CPRNG_FILL_X(n) "mov x" #n ", x21\n\t"
#define CPRNG_STORE_X(n) "str x" #n ", [x19, #2048+8*" #n "]\n\t"

inline bool left_by(void (*function)(), Contents *of)
{
	std::memset(of->vectors, pattern, sizeof(of->vectors));
	of->number_of_vectors = 32;
	of->bytes_of_a_vector = 16;
	of->number_of_general = 19;
	of->number_of_masks = 0;
	register std::uintptr_t contents __asm__("x19") = reinterpret_cast<std::uintptr_t>(of);
	register std::uintptr_t address __asm__("x20") = reinterpret_cast<std::uintptr_t>(function);
	__asm__ volatile("ldr x21, [x19]\n\t" CPRNG_EACH_OF_32(CPRNG_LOAD) CPRNG_EACH_OF_16(CPRNG_FILL_X) CPRNG_FILL_X(
				 16) CPRNG_FILL_X(17) CPRNG_FILL_X(18) "blr x20\n\t" CPRNG_EACH_OF_32(CPRNG_STORE)
				 CPRNG_EACH_OF_16(CPRNG_STORE_X) CPRNG_STORE_X(16) CPRNG_STORE_X(17) CPRNG_STORE_X(18)
			 :
			 : "r"(contents), "r"(address)
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
			   "x14", "x15", "x16", "x17", "x18", "x21", "x30", "memory", "cc", "v0", "v1", "v2", "v3",
			   "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
			   "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30",
			   "v31");
	// A call preserves the lower halves of these, so only the upper ones are checked.
	for (std::size_t vector = 8; vector < 16; vector++)
		std::memcpy(of->vectors + 64 * vector, of->vectors + 64 * vector + 8, 8);
	return true;
}

#undef CPRNG_EACH_OF_16
#undef CPRNG_EACH_OF_32
#undef CPRNG_LOAD
#undef CPRNG_STORE
#undef CPRNG_STORE_X
#undef CPRNG_FILL_X

// Vector registers 0 to 13 and 32 to 49; 50 and 51 take the place of masks.  General registers 0 and 3 to 12.
#elif defined(__powerpc64__) && defined(__VSX__)

#define CPRNG_EACH_VECTOR(op) \
	op(0, 0) op(1, 1) op(2, 2) op(3, 3) op(4, 4) op(5, 5) op(6, 6) op(7, 7) op(8, 8) op(9, 9) op(10, 10) \
		op(11, 11) op(12, 12) op(13, 13) op(32, 14) op(33, 15) op(34, 16) op(35, 17) op(36, 18) op(37, 19) \
			op(38, 20) op(39, 21) op(40, 22) op(41, 23) op(42, 24) op(43, 25) op(44, 26) op(45, 27) \
				op(46, 28) op(47, 29) op(48, 30) op(49, 31)
#define CPRNG_AT(instruction, n, offset) "li 17, " #offset "\n\t" #instruction " " #n ", 14, 17\n\t"
#define CPRNG_LOAD(n, place) CPRNG_AT(lxvd2x, n, 64 * place)
#define CPRNG_STORE(n, place) CPRNG_AT(stxvd2x, n, 64 * place)
#define CPRNG_FILL(n) "ld " #n ", 0(14)\n\t"
#define CPRNG_STORE_GENERAL(n, place) "std " #n ", 2048+8*" #place "(14)\n\t"
static_assert(offsetof(Contents, masks) == 2200, "where the instructions have it");

// Below the stack pointer are the red zone of the calling function and the frame that a call expects.
inline bool left_by(void (*function)(), Contents *of)
{
	std::memset(of->vectors, pattern, sizeof(of->vectors));
	std::memset(of->masks, pattern, sizeof(of->masks));
	of->number_of_vectors = 32;
	of->bytes_of_a_vector = 16;
	of->number_of_general = 11;
	of->number_of_masks = 4;
	register std::uintptr_t contents __asm__("14") = reinterpret_cast<std::uintptr_t>(of);
	register std::uintptr_t address __asm__("15") = reinterpret_cast<std::uintptr_t>(function);
	__asm__ volatile(
		"stdu 1, -512(1)\n\t" CPRNG_EACH_VECTOR(
			CPRNG_LOAD) CPRNG_AT(lxvd2x, 50, 2200) CPRNG_AT(lxvd2x, 51,
									2216) CPRNG_FILL(0) CPRNG_FILL(3) CPRNG_FILL(4)
			CPRNG_FILL(5) CPRNG_FILL(6) CPRNG_FILL(7) CPRNG_FILL(8) CPRNG_FILL(9) CPRNG_FILL(10) CPRNG_FILL(
				11) "mr 12, 15\n\t"
				    "mtctr 15\n\t"
				    "bctrl\n\t" CPRNG_EACH_VECTOR(CPRNG_STORE) CPRNG_AT(stxvd2x, 50, 2200) CPRNG_AT(
					    stxvd2x, 51, 2216) CPRNG_STORE_GENERAL(0, 0) CPRNG_STORE_GENERAL(3, 1)
					    CPRNG_STORE_GENERAL(4, 2) CPRNG_STORE_GENERAL(5, 3)
						    CPRNG_STORE_GENERAL(6, 4) CPRNG_STORE_GENERAL(7, 5)
							    CPRNG_STORE_GENERAL(8, 6) CPRNG_STORE_GENERAL(9, 7)
								    CPRNG_STORE_GENERAL(10, 8) CPRNG_STORE_GENERAL(11,
														   9)
									    CPRNG_STORE_GENERAL(12, 10) "addi 1, 1, 512"
		:
		: "r"(contents), "r"(address)
		: "0", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "17", "lr", "ctr", "cr0", "cr1", "cr5",
		  "cr6", "cr7", "memory", "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8", "fr9", "fr10",
		  "fr11", "fr12", "fr13", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11",
		  "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19");
	return true;
}

#undef CPRNG_EACH_VECTOR
#undef CPRNG_AT
#undef CPRNG_LOAD
#undef CPRNG_STORE
#undef CPRNG_FILL
#undef CPRNG_STORE_GENERAL

#else

inline bool left_by(void (*)(), Contents *)
{
	return false;
}

#endif

// Numbers are returned in a register, and one or two other registers may hold copies.  They belong to the caller, which clears
// them.
inline void clear_numbers()
{
#if defined(__x86_64__)
	__asm__ volatile("xorl %%eax, %%eax\n\txorl %%ecx, %%ecx\n\txorl %%edx, %%edx\n\txorl %%esi, %%esi\n\t"
			 "xorl %%edi, %%edi\n\txorl %%r8d, %%r8d\n\txorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\t"
			 "xorl %%r11d, %%r11d"
			 :
			 :
			 : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "cc");
#elif defined(__aarch64__)
	__asm__ volatile("mov x0, 0\n\tmov x1, 0\n\tmov x2, 0\n\tmov x3, 0\n\tmov x4, 0\n\tmov x5, 0\n\tmov x6, 0\n\t"
			 "mov x7, 0\n\tmov x8, 0\n\tmov x9, 0\n\tmov x10, 0\n\tmov x11, 0\n\tmov x12, 0\n\t"
			 "mov x13, 0\n\tmov x14, 0\n\tmov x15, 0\n\tmov x16, 0\n\tmov x17, 0"
			 :
			 :
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
			   "x14", "x15", "x16", "x17");
#endif
}

} // namespace registers

#endif
