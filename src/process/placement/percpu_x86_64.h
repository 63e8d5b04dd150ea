/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations of core/buffer.h as restartable sequences, x86-64.  Only percpu.c includes this.  Copies go by 64
 * bytes in vector registers of the width that the process has chosen (enum cprng_copies).
 *
 * In each, the last store commits, and every store before it is harmless without the last.  A pop lowers the count first, so no
 * later draw serves bytes that remain in the signal frame of an abort.  Bytes that put_key and push write before the commit must
 * not be served from another place while a copy stays here; so an aborted put_key or push is not repeated, and its bytes are
 * served to no caller.  Label 5 exits with the carry flag set: refused, as after an abort.
 *
 * Offsets: left 0, key_tag 8, key 32, out 64.
 */
#include "cpu/registers.h"
#include "process/inlined.h"
#include "process/placement.h"

#define CPRNG_SAME_GENERATION \
	"movq %[now], %[left]\n\t" \
	"cmpq %[generation], %[left]\n\t" \
	"jne 5f\n\t"

/*
 * 64 bytes by baseline instructions; by AVX2, which leaves no dirty upper halves behind; and by a register of AVX-512 that has
 * no form in other instructions, so that it needs no vzeroupper.
 */
#define CPRNG_SSE2_COPY64(from, to) \
	"movdqu (" from ",%[i]), %%xmm0\n\t" \
	"movdqu 16(" from ",%[i]), %%xmm1\n\t" \
	"movdqu 32(" from ",%[i]), %%xmm2\n\t" \
	"movdqu 48(" from ",%[i]), %%xmm3\n\t" \
	"movdqu %%xmm0, (" to ",%[i])\n\t" \
	"movdqu %%xmm1, 16(" to ",%[i])\n\t" \
	"movdqu %%xmm2, 32(" to ",%[i])\n\t" \
	"movdqu %%xmm3, 48(" to ",%[i])\n\t"
#define CPRNG_SSE2_ZERO64(at) \
	"movdqu %%xmm0, (" at ",%[i])\n\t" \
	"movdqu %%xmm0, 16(" at ",%[i])\n\t" \
	"movdqu %%xmm0, 32(" at ",%[i])\n\t" \
	"movdqu %%xmm0, 48(" at ",%[i])"
#define CPRNG_SSE2_CLEAR \
	"pxor %%xmm0, %%xmm0\n\t" \
	"pxor %%xmm1, %%xmm1\n\t" \
	"pxor %%xmm2, %%xmm2\n\t" \
	"pxor %%xmm3, %%xmm3\n\t"
#define CPRNG_SSE2_END ""

#define CPRNG_AVX2_COPY64(from, to) \
	"vmovdqu (" from ",%[i]), %%ymm0\n\t" \
	"vmovdqu 32(" from ",%[i]), %%ymm1\n\t" \
	"vmovdqu %%ymm0, (" to ",%[i])\n\t" \
	"vmovdqu %%ymm1, 32(" to ",%[i])\n\t"
#define CPRNG_AVX2_ZERO64(at) \
	"vmovdqu %%ymm0, (" at ",%[i])\n\t" \
	"vmovdqu %%ymm0, 32(" at ",%[i])"
#define CPRNG_AVX2_CLEAR \
	"vpxor %%xmm0, %%xmm0, %%xmm0\n\t" \
	"vpxor %%xmm1, %%xmm1, %%xmm1\n\t"
#define CPRNG_AVX2_END "vzeroupper\n\t"

#define CPRNG_AVX512_COPY64(from, to) \
	"vmovdqu64 (" from ",%[i]), %%zmm16\n\t" \
	"vmovdqu64 %%zmm16, (" to ",%[i])\n\t"
#define CPRNG_AVX512_ZERO64(at) "vmovdqu64 %%zmm16, (" at ",%[i])"
#define CPRNG_AVX512_CLEAR "vpxord %%zmm16, %%zmm16, %%zmm16\n\t"
#define CPRNG_AVX512_END ""

/*
 * Each 64 bytes of %[len] >= 64, downwards; `end`; and the 64 at the start, which overlap with the ones before.  Leaves the
 * carry flag clear.
 */
#define CPRNG_EACH64(step, end) \
	"movq %[len], %[i]\n\t" \
	"subq $64, %[i]\n" \
	"6:\t" step "\n\t" \
	"subq $64, %[i]\n\t" \
	"ja 6b\n\t" \
	"xorl %k[i], %k[i]\n\t" end step

#define CPRNG_DEFINE_POP(V, name) \
	CPRNG_INLINE bool name(const struct cprng_draw *d, uint8_t *dst, size_t len) \
	{ \
		unsigned long state = (unsigned long)d->buffers, left, i; \
		unsigned char refused; \
 \
		__asm__ volatile(CPRNG_RSEQ_BEGIN("left") \
				 "movl (%[buffer]), %k[left]\n\t" \
				 "subq %[len], %[left]\n\t" \
				 "jb 2f\n\t" \
				 "movl %k[left], (%[buffer])\n\t" \
				 "leaq 64(%[buffer],%[left]), %[left]\n\t" \
				 CPRNG_EACH64(CPRNG_##V##_COPY64("%[left]", "%[dst]"), "") CPRNG_##V##_CLEAR \
				 CPRNG_EACH64(CPRNG_##V##_ZERO64("%[left]"), CPRNG_##V##_END) CPRNG_RSEQ_END \
				 : [buffer] "+&r"(state), [left] "=&r"(left), [i] "=&r"(i), "=@ccc"(refused) \
				 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [dst] "r"(dst), [len] "r"(len) \
				 : "memory", "r11", "xmm0", "xmm1", "xmm2", "xmm3" CPRNG_CLOBBERS_16_17); \
		return !refused; \
	}

#define CPRNG_DEFINE_PUSH(V, name) \
	CPRNG_INLINE void name(const struct cprng_draw *d, const uint64_t *now, uint64_t generation, const uint8_t *src, \
			       size_t len) \
	{ \
		unsigned long state = (unsigned long)d->buffers, left, i; \
		unsigned char refused; \
 \
		__asm__ volatile(CPRNG_RSEQ_BEGIN("left") CPRNG_SAME_GENERATION \
				 "movl (%[buffer]), %k[left]\n\t" \
				 "leaq (%[left],%[len]), %[i]\n\t" \
				 "cmpq %[size], %[i]\n\t" \
				 "ja 5f\n\t" \
				 "leaq 64(%[buffer],%[left]), %[left]\n\t" CPRNG_EACH64(CPRNG_##V##_COPY64("%[src]", "%[left]"), "") \
				 CPRNG_##V##_CLEAR CPRNG_##V##_END \
				 "addq %[len], %[left]\n\t" \
				 "subq %[buffer], %[left]\n\t" \
				 "subl $64, %k[left]\n\t" \
				 "movl %k[left], (%[buffer])" CPRNG_RSEQ_END \
				 : [buffer] "+&r"(state), [left] "=&r"(left), [i] "=&r"(i), "=@ccc"(refused) \
				 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [now] "m"(*now), [generation] "r"(generation), [src] "r"(src), \
				   [len] "r"(len), [size] "i"(CPRNG_BUFFER_SIZE) \
				 : "memory", "r11", "xmm0", "xmm1", "xmm2", "xmm3" CPRNG_CLOBBERS_16_17); \
		(void)refused; \
	}

CPRNG_DEFINE_POP(SSE2, cprng_percpu_pop_sse2)
CPRNG_DEFINE_POP(AVX2, cprng_percpu_pop_avx2)
CPRNG_DEFINE_POP(AVX512, cprng_percpu_pop_avx512)
CPRNG_DEFINE_PUSH(SSE2, cprng_percpu_push_sse2)
CPRNG_DEFINE_PUSH(AVX2, cprng_percpu_push_avx2)
CPRNG_DEFINE_PUSH(AVX512, cprng_percpu_push_avx512)

CPRNG_INLINE uint64_t cprng_percpu_take_key(const struct cprng_draw *d, uint8_t *key)
{
	unsigned long state = (unsigned long)d->buffers;
	uint64_t tag;
	unsigned char refused;

	__asm__ volatile(CPRNG_RSEQ_BEGIN("tag")
			 "movq 8(%[buffer]), %[tag]\n\t"
			 "testq %[tag], %[tag]\n\t"
			 "jz 2f\n\t"
			 "andl %[aligned], (%[buffer])\n\t"
			 "movdqu 32(%[buffer]), %%xmm0\n\t"
			 "movdqu 48(%[buffer]), %%xmm1\n\t"
			 "movdqu %%xmm0, (%[key])\n\t"
			 "movdqu %%xmm1, 16(%[key])\n\t"
			 "movq $0, 8(%[buffer])\n\t"
			 "pxor %%xmm0, %%xmm0\n\t"
			 "pxor %%xmm1, %%xmm1\n\t"
			 "movdqu %%xmm0, 32(%[buffer])\n\t"
			 "movdqu %%xmm0, 48(%[buffer])" CPRNG_RSEQ_END
			 : [buffer] "+&r"(state), [tag] "=&r"(tag), "=@ccc"(refused)
			 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [key] "r"(key), [aligned] "i"(-CPRNG_BUFFER_ALIGN)
			 : "memory", "r11", "xmm0", "xmm1");
	return refused ? 0 : tag;
}

CPRNG_INLINE void cprng_percpu_put_key(const struct cprng_draw *d, const uint64_t *now, uint64_t generation,
				       const uint8_t *key, uint64_t tag)
{
	unsigned long state = (unsigned long)d->buffers, left;
	unsigned char refused;

	__asm__ volatile(CPRNG_RSEQ_BEGIN("left") CPRNG_SAME_GENERATION
			 "cmpq $0, 8(%[buffer])\n\t"
			 "jne 5f\n\t"
			 "movdqu (%[key]), %%xmm0\n\t"
			 "movdqu 16(%[key]), %%xmm1\n\t"
			 "movdqu %%xmm0, 32(%[buffer])\n\t"
			 "movdqu %%xmm1, 48(%[buffer])\n\t"
			 "pxor %%xmm0, %%xmm0\n\t"
			 "pxor %%xmm1, %%xmm1\n\t"
			 "movq %[tag], 8(%[buffer])" CPRNG_RSEQ_END
			 : [buffer] "+&r"(state), [left] "=&r"(left), "=@ccc"(refused)
			 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [now] "m"(*now), [generation] "r"(generation), [key] "r"(key),
			   [tag] "r"(tag)
			 : "memory", "r11", "xmm0", "xmm1");
	(void)refused;
}

#undef CPRNG_SAME_GENERATION
#undef CPRNG_EACH64
