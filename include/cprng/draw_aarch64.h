/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The restartable draw for AArch64 Linux, little- and big-endian.  Included by <cprng/draw.h>; not for direct use.
 * It has the same steps as draw_x86_64.h, which explains them.
 */
#ifndef CPRNG_DRAW_AARCH64_H
#define CPRNG_DRAW_AARCH64_H

/*
 * cpus is loaded with acquire, so that it is read before the buffer: otherwise a sequence after a complete invalidation
 * could see the buffer's earlier content.  (x86-64 does not reorder loads.)
 *
 * The thread pointer is read here, not by the compiler: the compiler could keep an address computed from it across a
 * coroutine switch, after which the code runs in another thread.
 *
 * %[rseq] is the offset of the thread's rseq area, %[area] becomes its address; %w[empty] becomes 0, or 1 for the slow
 * path.  X17 holds the descriptor's address until the end of the sequence.
 */
#define CPRNG_RSEQ_BEGIN(cpu) \
	".pushsection __rseq_cs,\"aw?\",@progbits\n\t" \
	".balign 32\n" \
	"3:\t.word 0, 0\n\t" \
	".quad 1f, 2f - 1f, 4f\n\t" \
	".popsection\n\t" \
	"adrp x17, 3b\n\t" \
	"add x17, x17, :lo12:3b\n\t" \
	"mrs %[area], tpidr_el0\n\t" \
	"add %[area], %[area], %[rseq]\n\t" \
	"str x17, [%[area], #8]\n" \
	"1:\tldr %w[" cpu "], [%[area], #4]\n\t" \
	"ldar %w[empty], %[cpus]\n\t" \
	"cmp %w[" cpu "], %w[empty]\n\t" \
	"mov %w[empty], #1\n\t" \
	"b.hs 2f\n\t" \
	"add %[buffer], %[buffer], %[" cpu "], lsl #12\n\t"

/* RSEQ_SIG on AArch64 is BRK #0x45E0, as an instruction: little-endian whatever the data order. */
#define CPRNG_RSEQ_END \
	"\n2:\tstr xzr, [%[area], #8]\n\t" \
	".pushsection .text.cprng_abort,\"ax?\",@progbits\n" \
	"30:\t.inst 0xd428bc00\n" \
	"4:\tmov %w[empty], #1\n\t" \
	"b 2b\n" \
	"31:\n\t" \
	".popsection\n\t" CPRNG_RSEQ_UNWIND

/*
 * The return address is column 32, the program counter, so that X30 keeps the function's value.  It is loaded from memory
 * at X17 + 8: DW_CFA_val_expression, DW_OP_breg17, DW_OP_deref.  The CFA is SP.
 */
#define CPRNG_RSEQ_RETURN_COLUMN "32"
#define CPRNG_RSEQ_RULES ".byte 0x0c, 31, 0, 0x16, 32, 3, 0x81, 8, 0x06, 0, 0\n"

#define CPRNG_RSEQ_INPUTS(d, offset) [rseq] "r"(offset), [cpus] "Q"((d)->cpus)

/* `left` is stored with post-increment, which forms the address of the bytes: it must be stored before the erasure. */
#define CPRNG_DRAW_BITS(d, offset, pages, value, empty, bytes, load, store, reg, zero) \
	do { \
		unsigned long cprng_area, cprng_state = (unsigned long)(pages), cprng_left; \
		__asm__ volatile(CPRNG_RSEQ_BEGIN("left") \
				 "ldr %w[left], [%[buffer]]\n\t" \
				 "subs %w[left], %w[left], #" #bytes "\n\t" \
				 "b.lo 2f\n\t" \
				 "str %w[left], [%[buffer]], #64\n\t" \
				 "mov %w[empty], #0\n\t" load " %" reg "[v], [%[buffer], %[left]]\n\t" store " " zero \
				 ", [%[buffer], %[left]]" CPRNG_RSEQ_END \
				 : [area] "=&r"(cprng_area), [buffer] "+&r"(cprng_state), [left] "=&r"(cprng_left), \
				   [v] "=&r"(value), [empty] "=&r"(empty) \
				 : CPRNG_RSEQ_INPUTS(d, offset) \
				 : "cc", "x17"); \
	} while (0)

#define CPRNG_DRAW_8(d, offset, pages, value, empty) CPRNG_DRAW_BITS(d, offset, pages, value, empty, 1, "ldrb", "strb", "w", "wzr")
#define CPRNG_DRAW_16(d, offset, pages, value, empty) CPRNG_DRAW_BITS(d, offset, pages, value, empty, 2, "ldrh", "strh", "w", "wzr")
#define CPRNG_DRAW_32(d, offset, pages, value, empty) CPRNG_DRAW_BITS(d, offset, pages, value, empty, 4, "ldr", "str", "w", "wzr")
#define CPRNG_DRAW_64(d, offset, pages, value, empty) CPRNG_DRAW_BITS(d, offset, pages, value, empty, 8, "ldr", "str", "x", "xzr")

#ifdef __ARM_NEON
#define CPRNG_HAVE_RESTARTABLE_COPY 1
/* `left` is lowered before the bytes are erased, as above; the register that copies the bytes is zeroed for the erasure. */
#define CPRNG_DRAW_COPY(d, offset, pages, dst, len, tail_at, empty, move, erase) \
	do { \
		unsigned long cprng_area, cprng_state = (unsigned long)(pages), cprng_from; \
		__asm__ volatile(CPRNG_RSEQ_BEGIN("from") \
				 "ldr %w[from], [%[buffer]]\n\t" \
				 "subs %w[from], %w[from], %w[bytes]\n\t" \
				 "b.lo 2f\n\t" \
				 "str %w[from], [%[buffer]], #64\n\t" \
				 "mov %w[empty], #0\n\t" \
				 "add %[from], %[buffer], %[from]\n\t" move "movi v31.2d, #0\n\t" erase CPRNG_RSEQ_END \
				 : [area] "=&r"(cprng_area), [buffer] "+&r"(cprng_state), [from] "=&r"(cprng_from), \
				   [empty] "=&r"(empty) \
				 : CPRNG_RSEQ_INPUTS(d, offset), [to] "r"(dst), [bytes] "r"((uint64_t)(len)), \
				   [tail] "r"((uint64_t)(tail_at)) \
				 : "cc", "x17", "memory", "v30", "v31"); \
	} while (0)

#define CPRNG_MOVE(reg, at) "ldr " reg "31, [%[from], " at "]\n\tstr " reg "31, [%[to], " at "]\n\t"
#define CPRNG_ERASE(reg, at) "str " reg "31, [%[from], " at "]\n\t"
#define CPRNG_BOTH(act, reg) act(reg, "%[tail]") act(reg, "#0")

#define CPRNG_DRAW_UP_TO_16(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, (len) - 8, empty, CPRNG_BOTH(CPRNG_MOVE, "d"), CPRNG_BOTH(CPRNG_ERASE, "d"))
#define CPRNG_DRAW_OF_16(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, len, empty, CPRNG_MOVE("q", "#0"), CPRNG_ERASE("q", "#0"))
#define CPRNG_DRAW_UP_TO_32(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, (len) - 16, empty, CPRNG_BOTH(CPRNG_MOVE, "q"), CPRNG_BOTH(CPRNG_ERASE, "q"))
/* Two copies of 32 bytes; %[buffer] is free to be reused here. */
#define CPRNG_DRAW_UP_TO_64(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, (len) - 32, empty, \
			"add %[buffer], %[from], %[tail]\n\t" \
			"ldp q30, q31, [%[buffer]]\n\t" \
			"add %[buffer], %[to], %[tail]\n\t" \
			"stp q30, q31, [%[buffer]]\n\t" \
			"ldp q30, q31, [%[from]]\n\t" \
			"stp q30, q31, [%[to]]\n\t", \
			"movi v30.2d, #0\n\t" \
			"stp q30, q31, [%[from]]\n\t" \
			"add %[buffer], %[from], %[tail]\n\t" \
			"stp q30, q31, [%[buffer]]\n\t")
#endif

#endif
