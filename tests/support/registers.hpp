// SPDX-License-Identifier: BSD-2-Clause
// What a function leaves in the registers that it may change, on the processors that are known here.
#ifndef CPRNG_TESTS_REGISTERS_HPP
#define CPRNG_TESTS_REGISTERS_HPP

#include "cpu/cpu.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace registers {

constexpr std::uint8_t pattern = 0xa5; // in every byte before the call

struct Contents {
	// Of register n the bytes at 64 * n.
	alignas(64) std::uint8_t vectors[32 * 64];
	std::uint64_t general[18];
	std::size_t number_of_vectors, bytes_of_a_vector, number_of_general;
};

#if defined(__x86_64__)

#define CPRNG_EACH_OF_16(do) \
	do \
	(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)
#define CPRNG_EACH_OF_32(do) \
	CPRNG_EACH_OF_16(do) \
	do \
	(16) do(17) do(18) do(19) do(20) do(21) do(22) do(23) do(24) do(25) do(26) do(27) do(28) do(29) do(30) do(31)

// The compiler may have something below the stack's pointer, which the call must not overwrite.
#define CPRNG_CALL_BETWEEN(loads, stores) \
	__asm__ volatile("movq %%rsp, %%r13\n\t" \
			 "subq $256, %%rsp\n\t" \
			 "andq $-64, %%rsp\n\t" \
			 "movq %%rdi, %%r12\n\t" loads "call *%%rax\n\t" stores "movq %%rax, 2048(%%r12)\n\t" \
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
#define CPRNG_LOAD_YMM(n) "vmovdqa 64*" #n "(%%r12), %%ymm" #n "\n\t"
#define CPRNG_STORE_YMM(n) "vmovdqa %%ymm" #n ", 64*" #n "(%%r12)\n\t"
#define CPRNG_LOAD_XMM(n) "movdqa 64*" #n "(%%r12), %%xmm" #n "\n\t"
#define CPRNG_STORE_XMM(n) "movdqa %%xmm" #n ", 64*" #n "(%%r12)\n\t"

// All registers that the backends under the ceiling use.
inline bool left_by(void (*function)(), Contents *of)
{
	const std::uint32_t features = cprng_cpu_features();
	std::uint64_t address = reinterpret_cast<std::uintptr_t>(function);
	std::uint64_t contents = reinterpret_cast<std::uintptr_t>(of);

	std::memset(of->vectors, pattern, sizeof(of->vectors));
	of->number_of_general = 9;
	if ((features & CPRNG_CPU_AVX512) != 0) {
		of->number_of_vectors = 32;
		of->bytes_of_a_vector = 64;
		CPRNG_CALL_BETWEEN(CPRNG_EACH_OF_32(CPRNG_LOAD_ZMM),
				   CPRNG_EACH_OF_32(CPRNG_STORE_ZMM) "vzeroupper\n\t");
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
	return true;
}

#undef CPRNG_EACH_OF_16
#undef CPRNG_EACH_OF_32
#undef CPRNG_CALL_BETWEEN
#undef CPRNG_LOAD_ZMM
#undef CPRNG_STORE_ZMM
#undef CPRNG_LOAD_YMM
#undef CPRNG_STORE_YMM
#undef CPRNG_LOAD_XMM
#undef CPRNG_STORE_XMM

#elif defined(__aarch64__) && defined(__AARCH64EL__)

#define CPRNG_EACH_OF_16(do) \
	do \
	(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7) do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)
#define CPRNG_EACH_OF_32(do) \
	CPRNG_EACH_OF_16(do) \
	do \
	(16) do(17) do(18) do(19) do(20) do(21) do(22) do(23) do(24) do(25) do(26) do(27) do(28) do(29) do(30) do(31)
#define CPRNG_LOAD(n) "ldr q" #n ", [x19, #64*" #n "]\n\t"
#define CPRNG_STORE(n) "str q" #n ", [x19, #64*" #n "]\n\t"
#define CPRNG_STORE_X(n) "str x" #n ", [x19, #2048+8*" #n "]\n\t"

inline bool left_by(void (*function)(), Contents *of)
{
	std::memset(of->vectors, pattern, sizeof(of->vectors));
	of->number_of_vectors = 32;
	of->bytes_of_a_vector = 16;
	of->number_of_general = 18;
	register std::uintptr_t contents __asm__("x19") = reinterpret_cast<std::uintptr_t>(of);
	register std::uintptr_t address __asm__("x20") = reinterpret_cast<std::uintptr_t>(function);
	__asm__ volatile(CPRNG_EACH_OF_32(CPRNG_LOAD) "blr x20\n\t" CPRNG_EACH_OF_32(CPRNG_STORE)
				 CPRNG_EACH_OF_16(CPRNG_STORE_X) CPRNG_STORE_X(16) CPRNG_STORE_X(17)
			 :
			 : "r"(contents), "r"(address)
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13",
			   "x14", "x15", "x16", "x17", "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6",
			   "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19",
			   "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31");
	// A call keeps the lower halves of these: only the upper ones are looked at.
	for (std::size_t vector = 8; vector < 16; vector++)
		std::memcpy(of->vectors + 64 * vector, of->vectors + 64 * vector + 8, 8);
	return true;
}

#undef CPRNG_EACH_OF_16
#undef CPRNG_EACH_OF_32
#undef CPRNG_LOAD
#undef CPRNG_STORE
#undef CPRNG_STORE_X

#else

inline bool left_by(void (*)(), Contents *)
{
	return false;
}

#endif

} // namespace registers

#endif
