/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The operations of core/buffer.h as restartable sequences, AArch64.  Only percpu.c includes this; percpu_x86_64.h explains the
 * design.  Offsets: left 0, key_tag 8, key 32, out 64.
 */
#include "process/inlined.h"
#include "process/placement.h"

/* `empty` is 1 from CPRNG_RSEQ_BEGIN on: a branch to 2 before it is cleared reports a refusal. */
#define CPRNG_SAME_GENERATION \
	"ldr %[left], %[now]\n\t" \
	"cmp %[left], %[generation]\n\t" \
	"b.ne 2f\n\t"

/* Copy %[len] >= 16 bytes, downwards in steps of 16; the last step, at the start, may overlap. */
#define CPRNG_COPY(from, to) \
	"subs %[i], %[len], #16\n\t" \
	"b.le 9f\n" \
	"8:\tadd %[a], " from ", %[i]\n\t" \
	"ldp %[a], %[b], [%[a]]\n\t" \
	"add %[c], " to ", %[i]\n\t" \
	"stp %[a], %[b], [%[c]]\n\t" \
	"subs %[i], %[i], #16\n\t" \
	"b.gt 8b\n" \
	"9:\tldp %[a], %[b], [" from "]\n\t" \
	"stp %[a], %[b], [" to "]\n\t" \
	"mov %[a], xzr\n\t" \
	"mov %[b], xzr\n\t"

CPRNG_INLINE bool cprng_percpu_pop(const struct cprng_draw *d, uint8_t *dst, size_t len)
{
	unsigned long area, state = (unsigned long)d->buffers, left, i, a, b, c, from;
	unsigned char refused;

	__asm__ volatile(CPRNG_RSEQ_BEGIN("left")
			 "ldr %w[left], [%[buffer]]\n\t"
			 "subs %[left], %[left], %[len]\n\t"
			 "b.lo 2f\n\t"
			 "add %[from], %[buffer], #64\n\t"
			 "str %w[left], [%[buffer]]\n\t"
			 "add %[from], %[from], %[left]\n\t" CPRNG_COPY("%[from]", "%[dst]")
			 "mov %w[empty], #0\n\t"
			 "subs %[i], %[len], #16\n\t"
			 "b.le 7f\n"
			 "6:\tadd %[c], %[from], %[i]\n\t"
			 "stp xzr, xzr, [%[c]]\n\t"
			 "subs %[i], %[i], #16\n\t"
			 "b.gt 6b\n"
			 "7:\tstp xzr, xzr, [%[from]]" CPRNG_RSEQ_END
			 : [area] "=&r"(area), [buffer] "+&r"(state), [left] "=&r"(left), [i] "=&r"(i), [a] "=&r"(a), [b] "=&r"(b),
			   [c] "=&r"(c), [from] "=&r"(from), [empty] "=&r"(refused)
			 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [dst] "r"(dst), [len] "r"(len)
			 : "memory", "cc", "x17");
	return !refused;
}

CPRNG_INLINE void cprng_percpu_push(const struct cprng_draw *d, const uint64_t *now, uint64_t generation,
				    const uint8_t *src, size_t len)
{
	unsigned long area, state = (unsigned long)d->buffers, left, i, a, b, c, to;
	unsigned char refused;

	__asm__ volatile(CPRNG_RSEQ_BEGIN("left") CPRNG_SAME_GENERATION
			 "ldr %w[left], [%[buffer]]\n\t"
			 "add %[i], %[left], %[len]\n\t"
			 "cmp %[i], %[size]\n\t"
			 "b.hi 2f\n\t"
			 "add %[to], %[buffer], #64\n\t"
			 "add %[to], %[to], %[left]\n\t" CPRNG_COPY("%[src]", "%[to]")
			 "add %[left], %[left], %[len]\n\t"
			 "mov %w[empty], #0\n\t"
			 "str %w[left], [%[buffer]]" CPRNG_RSEQ_END
			 : [area] "=&r"(area), [buffer] "+&r"(state), [left] "=&r"(left), [i] "=&r"(i), [a] "=&r"(a), [b] "=&r"(b),
			   [c] "=&r"(c), [to] "=&r"(to), [empty] "=&r"(refused)
			 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [now] "Q"(*now), [generation] "r"(generation), [src] "r"(src),
			   [len] "r"(len), [size] "r"((unsigned long)CPRNG_BUFFER_SIZE)
			 : "memory", "cc", "x17");
	(void)refused;
}

CPRNG_INLINE uint64_t cprng_percpu_take_key(const struct cprng_draw *d, uint8_t *key)
{
	unsigned long area, state = (unsigned long)d->buffers, a, b;
	uint64_t tag;
	unsigned char refused;

	__asm__ volatile(CPRNG_RSEQ_BEGIN("tag")
			 "ldr %[tag], [%[buffer], #8]\n\t"
			 "cbz %[tag], 2f\n\t"
			 "ldr %w[a], [%[buffer]]\n\t"
			 "and %w[a], %w[a], %[aligned]\n\t"
			 "str %w[a], [%[buffer]]\n\t"
			 "ldp %[a], %[b], [%[buffer], #32]\n\t"
			 "stp %[a], %[b], [%[key]]\n\t"
			 "ldp %[a], %[b], [%[buffer], #48]\n\t"
			 "stp %[a], %[b], [%[key], #16]\n\t"
			 "str xzr, [%[buffer], #8]\n\t"
			 "mov %[a], xzr\n\t"
			 "mov %[b], xzr\n\t"
			 "mov %w[empty], #0\n\t"
			 "stp xzr, xzr, [%[buffer], #32]\n\t"
			 "stp xzr, xzr, [%[buffer], #48]" CPRNG_RSEQ_END
			 : [area] "=&r"(area), [buffer] "+&r"(state), [tag] "=&r"(tag), [a] "=&r"(a), [b] "=&r"(b), [empty] "=&r"(refused)
			 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [key] "r"(key), [aligned] "i"(-CPRNG_BUFFER_ALIGN)
			 : "memory", "cc", "x17");
	return refused ? 0 : tag;
}

CPRNG_INLINE void cprng_percpu_put_key(const struct cprng_draw *d, const uint64_t *now, uint64_t generation,
				       const uint8_t *key, uint64_t tag)
{
	unsigned long area, state = (unsigned long)d->buffers, left, a, b;
	unsigned char refused;

	__asm__ volatile(CPRNG_RSEQ_BEGIN("left") CPRNG_SAME_GENERATION
			 "ldr %[left], [%[buffer], #8]\n\t"
			 "cbnz %[left], 2f\n\t"
			 "ldp %[a], %[b], [%[key]]\n\t"
			 "stp %[a], %[b], [%[buffer], #32]\n\t"
			 "ldp %[a], %[b], [%[key], #16]\n\t"
			 "stp %[a], %[b], [%[buffer], #48]\n\t"
			 "mov %[a], xzr\n\t"
			 "mov %[b], xzr\n\t"
			 "mov %w[empty], #0\n\t"
			 "str %[tag], [%[buffer], #8]" CPRNG_RSEQ_END
			 : [area] "=&r"(area), [buffer] "+&r"(state), [left] "=&r"(left), [a] "=&r"(a), [b] "=&r"(b), [empty] "=&r"(refused)
			 : CPRNG_RSEQ_INPUTS(d, cprng_rseq_offset(d)), [now] "Q"(*now), [generation] "r"(generation), [key] "r"(key),
			   [tag] "r"(tag)
			 : "memory", "cc", "x17");
	(void)refused;
}

#undef CPRNG_SAME_GENERATION
#undef CPRNG_COPY
