/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The per-CPU placement's direct form: pops of a few bytes without a call through the table of placement.h.  draw.c inlines it,
 * so it stands in this folder: placement/ includes files of process/, and process/ none of placement/.
 */
#ifndef CPRNG_PROCESS_PERCPU_FEW_H
#define CPRNG_PROCESS_PERCPU_FEW_H

#include "core/bytes.h"
#include "cpu/registers.h"
#include "process/inlined.h"

/* The longest inlined sequence (<cprng/draw.h>), in bytes.  It has no loop, and leaves no upper halves of registers to clear. */
#define CPRNG_FEW_MAX 64

#if CPRNG_HAVE_RESTARTABLE_DRAW

/* Return true if the calling thread may begin a sequence.  Each operation asks: the thread may have left since the last one. */
CPRNG_INLINE bool cprng_may_begin_sequence(const struct cprng_process *p)
{
	return CPRNG_LIKELY(p->draw.rseq_offset != CPRNG_OS_OWN_AREAS) || CPRNG_LIKELY(cprng_os_has_joined()) ||
	       (__atomic_load_n(&p->draw.cpus, __ATOMIC_RELAXED) != 0 && cprng_os_join_sequences());
}

#if defined(__x86_64__)
/*
 * 33 to 64 bytes: CPRNG_DRAW_UP_TO_64 in half as many instructions.  It uses two registers that only AVX-512 has, which need no
 * vzeroupper.
 */
CPRNG_INLINE bool cprng_percpu_pop_halves(const struct cprng_draw *d, uint8_t *dst, size_t len)
{
	unsigned long state = (unsigned long)d->buffers, from;
	unsigned char empty;

	__asm__ volatile(CPRNG_RSEQ_BEGIN("from") "movl (%[buffer]), %k[from]\n\t"
						  "subl %k[len], %k[from]\n\t"
						  "jb 2f\n\t"
						  "movl %k[from], (%[buffer])\n\t"
						  "leaq 64(%[buffer],%[from]), %[from]\n\t"
						  "vmovdqu64 (%[from]), %%ymm16\n\t"
						  "vmovdqu64 -32(%[from],%[len]), %%ymm17\n\t"
						  "vmovdqu64 %%ymm16, (%[to])\n\t"
						  "vmovdqu64 %%ymm17, -32(%[to],%[len])\n\t"
						  "vpxord %%xmm16, %%xmm16, %%xmm16\n\t"
						  "vpxord %%xmm17, %%xmm17, %%xmm17\n\t"
						  "vmovdqu64 %%ymm16, (%[from])\n\t"
						  "vmovdqu64 %%ymm16, -32(%[from],%[len])" CPRNG_RSEQ_END
			 : [buffer] "+&r"(state), [from] "=&r"(from), "=@ccc"(empty)
			 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [to] "r"(dst), [len] "r"(len)
			 : "memory", "r11" CPRNG_CLOBBERS_16_17);
	return !empty;
}
#endif

/* The same as cprng_placement_percpu.pop(), for 1 <= len <= CPRNG_FEW_MAX. */
CPRNG_INLINE bool cprng_percpu_pop_few(const struct cprng_process *p, uint8_t *dst, size_t len)
{
	unsigned char empty;
	uint64_t word;

	if (!cprng_may_begin_sequence(p))
		return false;
#if defined(__x86_64__)
	if (len > 32 && p->copies == CPRNG_COPIES_AVX512)
		return cprng_percpu_pop_halves(&p->draw, dst, len);
#endif
	if (len > sizeof(word)) {
		CPRNG_DRAW_BYTES(&p->draw, cprng_rseq_offset(&p->draw), p->draw.buffers, dst, len, empty);
		return !empty;
	}
	/* Always take 8 bytes, through a register, so that the next draw is aligned too. */
	CPRNG_DRAW_64(&p->draw, cprng_rseq_offset(&p->draw), p->draw.buffers, word, empty);
	if (CPRNG_UNLIKELY(empty))
		return false;
	cprng_store_low(dst, word, len);
	cprng_clear_general_registers();
	return true;
}

#endif

#endif
