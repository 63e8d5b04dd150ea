// SPDX-License-Identifier: BSD-2-Clause
// Claims this CPU's state, by a restartable sequence where available.
//
// A stateful cipher's step writes to several places (RC4 swaps), so it cannot be one restartable sequence with a single
// store at its end.  A kernel disables interrupts during the step.  Here the state is claimed: a sequence checks that
// the byte `claimed` of this CPU's state is 0 and sets it; the kernel restarts the sequence if the thread is
// interrupted in between, so no locked instruction is needed.  After the claim the thread may be preempted and moved to
// another CPU: the state stays claimed, and other threads see that.  A plain store releases it.
//
// This excludes only threads on the same CPU.  A state claimed in this way must not be claimed from another CPU, not
// even by an atomic exchange: the compare and the store are two instructions there.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_CLAIM_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_CLAIM_HPP

#include <cstddef>
#include <cstdint>

#if defined(__linux__) && defined(__LP64__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 35)
#define LAB_RESTARTABLE_CLAIM 1
#endif
#endif

#ifdef LAB_RESTARTABLE_CLAIM
#include <sys/rseq.h>
#endif

namespace lab::claim {

#ifdef LAB_RESTARTABLE_CLAIM

// Whether the C library has registered this thread; then it registers all.
inline bool available()
{
	const auto *area = reinterpret_cast<const struct rseq *>(static_cast<const char *>(__builtin_thread_pointer()) +
								 __rseq_offset);
	return __rseq_size != 0 && static_cast<std::int32_t>(__atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED)) >= 0;
}

// CPU number n has the byte claims[n * stride], for n below `cpus`.  Returns true if the byte was 0 and is now 1; *cpu is then
// the number.  The sequence is that of include/cprng/draw_x86_64.h and draw_aarch64.h, which explain the directives.
#if defined(__x86_64__)
inline bool this_cpu(unsigned char *claims, std::size_t stride, std::uint32_t cpus, std::uint32_t *cpu)
{
	std::uint64_t number, at;
	unsigned char refused;
	__asm__ volatile(".pushsection __rseq_cs,\"aw?\",@progbits\n\t"
			 ".balign 32\n"
			 "3:\t.long 0, 0\n\t"
			 ".quad 1f, 2f - 1f, 4f\n\t"
			 ".popsection\n"
			 "0:\tleaq 3b(%%rip), %[at]\n\t"
			 "movq %[at], %%fs:8(%[rseq])\n"
			 "1:\tmovl %%fs:4(%[rseq]), %k[number]\n\t"
			 "cmpl %[cpus], %k[number]\n\t"
			 "jae 5f\n\t"
			 "movq %[number], %[at]\n\t"
			 "imulq %[stride], %[at]\n\t"
			 // Comparing with 0 clears the carry flag, and no later instruction changes it.
			 "cmpb $0, (%[claims],%[at])\n\t"
			 "jne 5f\n\t"
			 "movb $1, (%[claims],%[at])\n"
			 "2:\tmovq $0, %%fs:8(%[rseq])\n\t"
			 ".pushsection .text.lab_abort,\"ax?\",@progbits\n\t"
			 ".byte 0x0f, 0xb9, 0x3d\n\t"
			 ".long 0x53053053\n"
			 "4:\tjmp 0b\n"
			 "5:\tstc\n\t"
			 "jmp 2b\n\t"
			 ".popsection"
			 : [number] "=&r"(number), [at] "=&r"(at), "=@ccc"(refused)
			 : [rseq] "r"(__rseq_offset), [claims] "r"(claims), [stride] "r"(stride), [cpus] "r"(cpus)
			 : "memory");
	*cpu = static_cast<std::uint32_t>(number);
	return !refused;
}
#else
inline bool this_cpu(unsigned char *claims, std::size_t stride, std::uint32_t cpus, std::uint32_t *cpu)
{
	std::uint64_t number, at, one, refused;
	__asm__ volatile(".pushsection __rseq_cs,\"aw?\",@progbits\n\t"
			 ".balign 32\n"
			 "3:\t.word 0, 0\n\t"
			 ".quad 1f, 2f - 1f, 4f\n\t"
			 ".popsection\n"
			 "0:\tadrp %[at], 3b\n\t"
			 "add %[at], %[at], :lo12:3b\n\t"
			 "str %[at], [%[rseq], #8]\n"
			 "1:\tldr %w[number], [%[rseq], #4]\n\t"
			 "mov %[refused], #1\n\t"
			 "cmp %w[number], %w[cpus]\n\t"
			 "b.hs 2f\n\t"
			 "madd %[at], %[number], %[stride], %[claims]\n\t"
			 // Acquires the previous user's writes, perhaps from another CPU.
			 "ldarb %w[refused], [%[at]]\n\t"
			 "cbnz %w[refused], 2f\n\t"
			 "mov %w[one], #1\n\t"
			 "strb %w[one], [%[at]]\n"
			 "2:\tstr xzr, [%[rseq], #8]\n\t"
			 ".pushsection .text.lab_abort,\"ax?\",@progbits\n\t"
			 ".inst 0xd428bc00\n"
			 "4:\tb 0b\n\t"
			 ".popsection"
			 : [number] "=&r"(number), [at] "=&r"(at), [one] "=&r"(one), [refused] "=&r"(refused)
			 : [rseq] "r"(static_cast<char *>(__builtin_thread_pointer()) + __rseq_offset),
			   [claims] "r"(claims), [stride] "r"(stride), [cpus] "r"(cpus)
			 : "memory", "cc");
	*cpu = static_cast<std::uint32_t>(number);
	return refused == 0;
}
#endif

#else

inline bool available()
{
	return false;
}

inline bool this_cpu(unsigned char *, std::size_t, std::uint32_t, std::uint32_t *)
{
	return false;
}

#endif

} // namespace lab::claim

#endif
