/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The restartable draw for AArch64 Linux, little- and big-endian.  Included by <cprng/draw.h>; not for direct use.
 * Its steps are those of draw_x86_64.h, which gives the reasons.
 */
#ifndef CPRNG_DRAW_AARCH64_H
#define CPRNG_DRAW_AARCH64_H

/*
 * cpus is loaded with acquire, so that it is read before the buffer: otherwise a sequence after a complete invalidation
 * could see the buffer from before it.  (x86-64 does not reorder loads.)
 *
 * The thread pointer is read next to its use, and again when the sequence begins again: the compiler could keep an
 * address formed from it over a switch of coroutines, after which the code runs in another thread.
 *
 * %[rseq] is the offset of the thread's rseq area, %[area] becomes its address; %w[empty] becomes 0, or 1 for the slow
 * path.
 */
#define CPRNG_RSEQ_BEGIN \
	".pushsection __rseq_cs,\"aw?\",@progbits\n\t" \
	".balign 32\n" \
	"3:\t.word 0, 0\n\t" \
	".quad 1f, 2f - 1f, 4f\n\t" \
	".popsection\n" \
	"0:\tadrp %[buffer], 3b\n\t" \
	"add %[buffer], %[buffer], :lo12:3b\n\t" \
	"mrs %[area], tpidr_el0\n\t" \
	"add %[area], %[area], %[rseq]\n\t" \
	"str %[buffer], [%[area], #8]\n" \
	"1:\tldr %w[buffer], [%[area], #4]\n\t" \
	"ldar %w[empty], %[cpus]\n\t" \
	"cmp %w[buffer], %w[empty]\n\t" \
	"mov %w[empty], #1\n\t" \
	"b.hs 2f\n\t" \
	"add %[buffer], %[buffers], %[buffer], lsl #12\n\t"

/* RSEQ_SIG on AArch64 is BRK #0x45E0, as an instruction: little-endian whatever the data order. */
#define CPRNG_RSEQ_END \
	"\n2:\tstr xzr, [%[area], #8]\n\t" \
	".pushsection .text.cprng_abort,\"ax?\",@progbits\n\t" \
	".inst 0xd428bc00\n" \
	"4:\tb 0b\n\t" \
	".popsection"

#define CPRNG_RSEQ_END_ONCE \
	"\n2:\tstr xzr, [%[area], #8]\n\t" \
	".pushsection .text.cprng_abort,\"ax?\",@progbits\n\t" \
	".inst 0xd428bc00\n" \
	"4:\tmov %w[empty], #1\n\t" \
	"b 2b\n\t" \
	".popsection"

#define CPRNG_RSEQ_INPUTS(d, pages) \
	[rseq] "r"(__atomic_load_n(&(d)->rseq_offset, __ATOMIC_RELAXED)), [buffers] "r"(pages), [cpus] "Q"((d)->cpus)

/* The address of the bytes is formed first, because `left` must be stored before the last store, which erases. */
#define CPRNG_DRAW_BITS(d, pages, value, empty, bytes, load, store, reg, zero) \
	do { \
		unsigned long cprng_area, cprng_state, cprng_left; \
		__asm__ volatile(CPRNG_RSEQ_BEGIN \
				 "ldr %w[left], [%[buffer]]\n\t" \
				 "subs %w[left], %w[left], #" #bytes "\n\t" \
				 "b.lo 2f\n\t" \
				 "str %w[left], [%[buffer]], #64\n\t" \
				 "mov %w[empty], #0\n\t" load " %" reg "[v], [%[buffer], %[left]]\n\t" store " " zero \
				 ", [%[buffer], %[left]]" CPRNG_RSEQ_END \
				 : [area] "=&r"(cprng_area), [buffer] "=&r"(cprng_state), [left] "=&r"(cprng_left), \
				   [v] "=&r"(value), [empty] "=&r"(empty) \
				 : CPRNG_RSEQ_INPUTS(d, pages) \
				 : "cc"); \
	} while (0)

#define CPRNG_DRAW_8(d, pages, value, empty) CPRNG_DRAW_BITS(d, pages, value, empty, 1, "ldrb", "strb", "w", "wzr")
#define CPRNG_DRAW_16(d, pages, value, empty) CPRNG_DRAW_BITS(d, pages, value, empty, 2, "ldrh", "strh", "w", "wzr")
#define CPRNG_DRAW_32(d, pages, value, empty) CPRNG_DRAW_BITS(d, pages, value, empty, 4, "ldr", "str", "w", "wzr")
#define CPRNG_DRAW_64(d, pages, value, empty) CPRNG_DRAW_BITS(d, pages, value, empty, 8, "ldr", "str", "x", "xzr")

#endif
