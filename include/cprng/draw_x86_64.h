/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The restartable draw for x86-64 Linux.  Included by <cprng/draw.h>; not for direct use.
 *
 * Restartable sequences: Linux Documentation/admin-guide or include/uapi/linux/rseq.h, and rseq(2).  The thread's rseq
 * area is at %fs:0 + rseq_offset; its cpu_id is at byte 4 and its rseq_cs at byte 8.
 */
#ifndef CPRNG_DRAW_X86_64_H
#define CPRNG_DRAW_X86_64_H

/*
 * Instructions are written in both dialects, {AT&T|Intel}; -masm= selects one.  No label consists only of the
 * digits 0 and 1, because clang reads "0b" and "1b" as binary numbers in Intel syntax.
 *
 * Open a sequence: define the descriptor (32 bytes: version and flags 0, start, length, abort address), store its address
 * to rseq_cs, and add the offset of this CPU's buffer to %[buffer], the address of the first buffer; `cpu` is a register for
 * the CPU's number.  Jump to 5 if the buffers are disabled (cprng_invalidate) or the CPU has none.
 *
 * The "?" puts descriptor and abort code into the section group of their function, so that a linker which drops a
 * duplicate C++ inline function drops them, too.  R11 holds the descriptor's address until the end of the sequence: an
 * unwinder needs it to leave the abort code.
 */
#define CPRNG_RSEQ_BEGIN(cpu) \
	".pushsection __rseq_cs,\"aw?\",@progbits\n\t" \
	".balign 32\n" \
	"3:\t.long 0, 0\n\t" \
	".quad 21f, 2f - 21f, 4f\n\t" \
	".popsection\n\t" \
	"{leaq 3b(%%rip), %%r11|lea r11, [rip + 3b]}\n\t" \
	"{movq %%r11, %%fs:8(%[rseq])|mov QWORD PTR fs:[%[rseq] + 8], r11}\n" \
	"21:\t{movl %%fs:4(%[rseq]), %k[" cpu "]|mov %k[" cpu "], DWORD PTR fs:[%[rseq] + 4]}\n\t" \
	"{cmpl %[cpus], %k[" cpu "]|cmp %k[" cpu "], %[cpus]}\n\t" \
	"jae 5f\n\t" \
	"{shlq $12, %[" cpu "]|shl %[" cpu "], 12}\n\t" \
	"{addq %[" cpu "], %[buffer]|add %[buffer], %[" cpu "]}\n\t"

/*
 * Close the sequence after its commit.  rseq_cs is cleared here although the kernel would clear it lazily: the descriptor
 * may be in a shared object that is unloaded next, and the kernel reads it at the next preemption.  The abort code
 * follows the signature that the C library registered with the kernel (RSEQ_SIG: an undefined instruction, so never a
 * jump target).
 *
 * An aborted sequence fails instead of restarting, and the slow path serves the draw.  Under a debugger that steps, a
 * restarted sequence would be aborted at each instruction and never end.  A restart on another CPU of a sequence that writes
 * secrets would leave a copy in the first CPU's buffer.
 */
#define CPRNG_RSEQ_END \
	"\n2:\t{movq $0, %%fs:8(%[rseq])|mov QWORD PTR fs:[%[rseq] + 8], 0}\n\t" \
	".pushsection .text.cprng_abort,\"ax?\",@progbits\n" \
	"30:\t.byte 0x0f, 0xb9, 0x3d\n\t" \
	".long 0x53053053\n" \
	"4:\n" \
	"5:\tstc\n\t" \
	"jmp 2b\n" \
	"31:\n\t" \
	".popsection\n\t" CPRNG_RSEQ_UNWIND

/*
 * The frame of the abort code (CPRNG_RSEQ_UNWIND).  The return address, column 16, is saved at R11 + 8: DW_CFA_expression,
 * DW_OP_breg11.  The CFA is RSP.
 */
#define CPRNG_RSEQ_RETURN_COLUMN "16"
#define CPRNG_RSEQ_RULES ".byte 0x0c, 7, 0, 0x10, 16, 2, 0x7b, 8, 0, 0, 0\n"

#define CPRNG_RSEQ_INPUTS(d, offset) [rseq] "r"(offset), [cpus] "m"((d)->cpus)

/*
 * value = the top `bytes` bytes of the buffer.  The order matters: `left` is lowered before the bytes are loaded and erased.
 * An abort between these steps discards a value that no thread has used; in another order it would leave the value in a
 * register while the buffer still holds it, or leave zeros for the next draw.  The erasure is the commit.  Only SUB and CMP
 * change the carry flag, so it holds the result at the end: set means the slow path.
 */
#define CPRNG_DRAW_BITS(d, offset, pages, value, empty, bytes, load, size, store) \
	do { \
		unsigned long cprng_state = (unsigned long)(pages), cprng_left; \
		__asm__ volatile(CPRNG_RSEQ_BEGIN("left") \
				 "{movl (%[buffer]), %k[left]|mov %k[left], DWORD PTR [%[buffer]]}\n\t" \
				 "{subl $" #bytes ", %k[left]|sub %k[left], " #bytes "}\n\t" \
				 "jb 2f\n\t" \
				 "{movl %k[left], (%[buffer])|mov DWORD PTR [%[buffer]], %k[left]}\n\t" load "\n\t" \
				 "{" store " $0, 64(%[buffer],%[left])" \
				 "|mov " size " PTR [%[buffer] + %[left] + 64], 0}" CPRNG_RSEQ_END \
				 : [buffer] "+&r"(cprng_state), [left] "=&r"(cprng_left), [v] "=&r"(value), \
				   "=@ccc"(empty) \
				 : CPRNG_RSEQ_INPUTS(d, offset) \
				 : "r11"); \
	} while (0)

/* The load, with the instruction's name in each dialect. */
#define CPRNG_LOAD(att, intel, size) \
	"{" att " 64(%[buffer],%[left]), %[v]|" intel " %[v], " size " PTR [%[buffer] + %[left] + 64]}"

#define CPRNG_DRAW_8(d, offset, pages, value, empty) \
	CPRNG_DRAW_BITS(d, offset, pages, value, empty, 1, CPRNG_LOAD("movzbl", "movzx", "BYTE"), "BYTE", "movb")
#define CPRNG_DRAW_16(d, offset, pages, value, empty) \
	CPRNG_DRAW_BITS(d, offset, pages, value, empty, 2, CPRNG_LOAD("movzwl", "movzx", "WORD"), "WORD", "movw")
#define CPRNG_DRAW_32(d, offset, pages, value, empty) \
	CPRNG_DRAW_BITS(d, offset, pages, value, empty, 4, CPRNG_LOAD("movl", "mov", "DWORD"), "DWORD", "movl")
#define CPRNG_DRAW_64(d, offset, pages, value, empty) \
	CPRNG_DRAW_BITS(d, offset, pages, value, empty, 8, CPRNG_LOAD("movq", "mov", "QWORD"), "QWORD", "movq")

#ifdef __SSE2__
#define CPRNG_HAVE_RESTARTABLE_COPY 1
/*
 * Copy the top `len` bytes of the buffer to dst, and erase them, by the instructions `move` and `erase`, which find the
 * bytes at %[from].  `left` is lowered first.  An abort after that discards bytes that no thread has used, and the slow path
 * writes dst again.  No instruction after SUB changes the carry flag.
 */
#define CPRNG_DRAW_COPY(d, offset, pages, dst, len, tail_at, empty, move, erase) \
	do { \
		unsigned long cprng_state = (unsigned long)(pages), cprng_from; \
		__asm__ volatile(CPRNG_RSEQ_BEGIN("from") \
				 "{movl (%[buffer]), %k[from]|mov %k[from], DWORD PTR [%[buffer]]}\n\t" \
				 "{subl %k[bytes], %k[from]|sub %k[from], %k[bytes]}\n\t" \
				 "jb 2f\n\t" \
				 "{movl %k[from], (%[buffer])|mov DWORD PTR [%[buffer]], %k[from]}\n\t" \
				 "{leaq 64(%[buffer],%[from]), %[from]|lea %[from], [%[buffer] + %[from] + 64]}\n\t" move \
				 CPRNG_VEX_ZERO erase CPRNG_RSEQ_END \
				 : [buffer] "+&r"(cprng_state), [from] "=&r"(cprng_from), "=@ccc"(empty) \
				 : CPRNG_RSEQ_INPUTS(d, offset), [to] "r"(dst), [bytes] "r"(len), [tail] "r"(tail_at) \
				 : "memory", "r11", "xmm0"); \
	} while (0)

/* Programs compiled for AVX use the VEX forms, which do not wait for dirty upper halves of registers. */
#ifdef __AVX__
#define CPRNG_VEX "v"
#define CPRNG_VEX_ZERO "{vpxor %%xmm0, %%xmm0, %%xmm0|vpxor xmm0, xmm0, xmm0}\n\t"
#else
#define CPRNG_VEX ""
#define CPRNG_VEX_ZERO "{pxor %%xmm0, %%xmm0|pxor xmm0, xmm0}\n\t"
#endif

/* Move or erase 8 or 16 bytes; `at` and the indexes give their position in each dialect. */
#define CPRNG_MOVE(name, size, at, index, intel_index) \
	"{" CPRNG_VEX name " " at "(%[from]" index "), %%xmm0|" CPRNG_VEX name " xmm0, " size \
	" PTR [%[from]" intel_index " + " at "]}\n\t" \
	"{" CPRNG_VEX name " %%xmm0, " at "(%[to]" index ")|" CPRNG_VEX name " " size " PTR [%[to]" intel_index \
	" + " at "], xmm0}\n\t"
#define CPRNG_ERASE(name, size, at, index, intel_index) \
	"{" CPRNG_VEX name " %%xmm0, " at "(%[from]" index ")|" CPRNG_VEX name " " size " PTR [%[from]" intel_index \
	" + " at "], xmm0}\n\t"
/*
 * The first and the last bytes of a request; CPRNG_FOUR adds those between them.  The beginning is written last: a load
 * that needs bytes of two overlapping stores waits for both, and a copy of the request loads from the beginning on.
 */
#define CPRNG_FIRST(act, name, size) act(name, size, "0", "", "")
#define CPRNG_BOTH(act, name, size) \
	act(name, size, "0", ",%[tail]", " + %[tail]") \
	CPRNG_FIRST(act, name, size)
#define CPRNG_FOUR(act, name, size) \
	act(name, size, "0", ",%[tail]", " + %[tail]") \
	act(name, size, "-16", ",%[tail]", " + %[tail]") \
	act(name, size, "16", "", "") CPRNG_FIRST(act, name, size)

#define CPRNG_DRAW_UP_TO_16(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, (len) - 8, empty, CPRNG_BOTH(CPRNG_MOVE, "movq", "QWORD"), \
			CPRNG_BOTH(CPRNG_ERASE, "movq", "QWORD"))
#define CPRNG_DRAW_OF_16(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, len, empty, CPRNG_FIRST(CPRNG_MOVE, "movdqu", "XMMWORD"), \
			CPRNG_FIRST(CPRNG_ERASE, "movdqu", "XMMWORD"))
#define CPRNG_DRAW_UP_TO_32(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, (len) - 16, empty, CPRNG_BOTH(CPRNG_MOVE, "movdqu", "XMMWORD"), \
			CPRNG_BOTH(CPRNG_ERASE, "movdqu", "XMMWORD"))
#define CPRNG_DRAW_UP_TO_64(d, offset, pages, dst, len, empty) \
	CPRNG_DRAW_COPY(d, offset, pages, dst, len, (len) - 16, empty, CPRNG_FOUR(CPRNG_MOVE, "movdqu", "XMMWORD"), \
			CPRNG_FOUR(CPRNG_ERASE, "movdqu", "XMMWORD"))
#endif

#endif
