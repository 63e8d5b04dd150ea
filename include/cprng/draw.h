/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The inlined hot path.  Included by <cprng/cprng.h>, which has the contracts of the functions.
 *
 * Everything that is inlined into programs is part of the ABI: the struct below, the positions of `left` and of the bytes
 * in a CPU's buffer, and the buffer's size of 4096 bytes.  Changing any of them requires new symbol names.  A library
 * without the old layout leaves cprng_draw_1.buffers NULL, and old programs take the slow path for every draw.
 */
#ifndef CPRNG_DRAW_H
#define CPRNG_DRAW_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

CPRNG_PRAGMA(GCC visibility push(CPRNG_VISIBILITY)) /* as in cprng.h */

/*
 * One cache line.  Inlined draws read the first three fields, and only the library reads the others; later versions may
 * add fields in the rest of the line.
 */
struct cprng_draw {
	/*
	 * NULL until the first draw, and permanently where the C library does not register restartable sequences; while it is
	 * NULL, the other fields have no meaning.  Otherwise 4096 bytes for each CPU: uint32_t left; ...; from byte 64 on the
	 * random bytes, taken from the top.
	 */
	unsigned char *buffers;
	ptrdiff_t rseq_offset; /* of the thread's rseq area from its thread pointer */
	uint32_t cpus;         /* the number of CPUs with buffers; 0 while the buffers are disabled */
	uint32_t unused;
	const void *owner; /* the copy of the library that sets this variable */
} __attribute__((aligned(64)));

/* The value of `cpus` until the library publishes its buffers. */
#define CPRNG_CPUS_UNSET UINT32_MAX

extern struct cprng_draw cprng_draw_1;

/* The slow path: return this many fresh bytes, from a refill or a one-time key. */
uint64_t cprng_draw_slow_1(unsigned int bytes);

/* The same, into memory: cprng_fast() where it is not inlined. */
void cprng_request_slow_1(void *buf, size_t len);

#ifndef CPRNG_INLINE_DRAW
#define CPRNG_INLINE_DRAW extern __inline__ __attribute__((gnu_inline))
#endif

/* The bits of a probability tell whether it is at most 0, at least 1, or a NaN, and which of them it is: see cprng_bernoulli(). */
#define CPRNG_IS_CERTAIN(bits) ((bits) - 1 >= ((uint64_t)1023 << 52) - 1)
#define CPRNG_AT_LEAST_1(bits) ((bits) - 1 < (uint64_t)2047 << 52)

/* CPRNG_NO_INLINE: call the library's functions instead, for programs that must not depend on the layout. */
#if defined(CPRNG_NO_INLINE) || !defined(__linux__)
#define CPRNG_HAVE_RESTARTABLE_DRAW 0
#elif defined(__x86_64__) && defined(__LP64__)
#define CPRNG_HAVE_RESTARTABLE_DRAW 1
#include <cprng/draw_x86_64.h>
#elif defined(__aarch64__) && defined(__LP64__)
#define CPRNG_HAVE_RESTARTABLE_DRAW 1
#include <cprng/draw_aarch64.h>
#else
#define CPRNG_HAVE_RESTARTABLE_DRAW 0
#endif

/* The offset for draws inlined into programs: the C library registers the areas of all threads. */
#define CPRNG_RSEQ_OFFSET(d) __atomic_load_n(&(d)->rseq_offset, __ATOMIC_RELAXED)

/* The sequences are longer than the 509 characters that C89 guarantees for a string; compilers accept them. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
#ifdef __cplusplus
#pragma GCC diagnostic ignored "-Wold-style-cast" /* C has no other casts; clang warns in extern "C", too */
#endif

#if CPRNG_HAVE_RESTARTABLE_DRAW
/*
 * Unwind information for the abort code.  The abort code is in a different section from the function, so the compiler's
 * unwind information does not cover it, and the assembly does not know the function's CFA.  So the abort code is described as
 * a frame of size zero with the function's registers, called from the beginning of the sequence (the second word of the
 * descriptor).  Written as a CIE and an FDE of .eh_frame (LSB 5.0 Core, 10.6), because clang before 17 has no .cfi directives
 * in a second section; the linker merges the CIEs.
 */
#define CPRNG_RSEQ_UNWIND \
	".pushsection .eh_frame,\"a\",@progbits\n\t" \
	".balign 4\n" \
	"32:\t.long 34f - 33f\n" \
	"33:\t.long 0\n\t" \
	".byte 1\n\t" \
	".asciz \"zR\"\n\t" \
	".byte 1, 0x78, " CPRNG_RSEQ_RETURN_COLUMN ", 1, 0x1b\n\t" CPRNG_RSEQ_RULES "34:\t.long 36f - 35f\n" \
	"35:\t.long 35b - 32b\n\t" \
	".long 30b - .\n\t" \
	".long 31b - 30b\n\t" \
	".byte 0, 0, 0, 0\n" \
	"36:\n\t" \
	".popsection"

#define CPRNG_DEFINE_DRAW(bits, type, carrier) \
	CPRNG_INLINE_DRAW type cprng_fast##bits(void) \
	{ \
		unsigned char *const buffers = __atomic_load_n(&cprng_draw_1.buffers, __ATOMIC_ACQUIRE); \
		carrier value; \
		unsigned char empty; \
		if (__builtin_expect(buffers == NULL, 0)) \
			return (type)cprng_draw_slow_1(bits / 8); \
		CPRNG_DRAW_##bits(&cprng_draw_1, CPRNG_RSEQ_OFFSET(&cprng_draw_1), buffers, value, empty); \
		if (__builtin_expect(empty, 0)) \
			return (type)cprng_draw_slow_1(bits / 8); \
		return (type)value; \
	}
#elif !defined(CPRNG_NO_INLINE)
#define CPRNG_DEFINE_DRAW(bits, type, carrier) \
	CPRNG_INLINE_DRAW type cprng_fast##bits(void) \
	{ \
		return (type)cprng_draw_slow_1(bits / 8); \
	}
#endif

#ifdef CPRNG_DEFINE_DRAW
CPRNG_DEFINE_DRAW(8, uint8_t, uint32_t)
CPRNG_DEFINE_DRAW(16, uint16_t, uint32_t)
CPRNG_DEFINE_DRAW(32, uint32_t, uint32_t)
CPRNG_DEFINE_DRAW(64, uint64_t, uint64_t)
#undef CPRNG_DEFINE_DRAW

#if defined(CPRNG_HAVE_RESTARTABLE_COPY)
/* Draw 9 to 64 bytes: a single sequence copies and erases the bytes. */
#define CPRNG_DRAW_BYTES(d, offset, pages, dst, len, empty) \
	do { \
		if ((len) == 16) \
			CPRNG_DRAW_OF_16(d, offset, pages, dst, len, empty); \
		else if ((len) < 16) \
			CPRNG_DRAW_UP_TO_16(d, offset, pages, dst, len, empty); \
		else if ((len) <= 32) \
			CPRNG_DRAW_UP_TO_32(d, offset, pages, dst, len, empty); \
		else \
			CPRNG_DRAW_UP_TO_64(d, offset, pages, dst, len, empty); \
	} while (0)

/*
 * Store the low-order len bytes of a number, by two stores of a type with at least half as many bytes, the beginning last.
 * Shifts select the bytes: on a big-endian machine the first bytes of a variable are its high-order ones, and gcc copies a
 * part of a variable through the stack.
 */
#define CPRNG_STORE_LOW(type, dst, number, len) \
	do { \
		const size_t cprng_at = (len) - sizeof(type); \
		const uint64_t cprng_number = (number); \
		const int cprng_big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; \
		const type cprng_last = (type)(cprng_number >> (cprng_big ? 0 : 8 * cprng_at)); \
		const type cprng_first = (type)(cprng_number >> (cprng_big ? 8 * cprng_at : 0)); \
		__builtin_memcpy((unsigned char *)(dst) + cprng_at, &cprng_last, sizeof(type)); \
		__builtin_memcpy((dst), &cprng_first, sizeof(type)); \
	} while (0)

#ifndef CPRNG_DEFINES_FAST /* the library's source that defines cprng_fast() */
/* Inlined for sizes up to 64 bytes that are known at compile time. */
CPRNG_INLINE_DRAW void cprng_fast(void *buf, size_t len)
{
	if (__builtin_constant_p(len) && len != 0 && len <= 8) {
		if (len == 1)
			CPRNG_STORE_LOW(uint8_t, buf, cprng_fast8(), len);
		else if (len < 4)
			CPRNG_STORE_LOW(uint16_t, buf, len == 2 ? cprng_fast16() : cprng_fast32(), len);
		else if (len < 8)
			CPRNG_STORE_LOW(uint32_t, buf, len == 4 ? cprng_fast32() : cprng_fast64(), len);
		else
			CPRNG_STORE_LOW(uint64_t, buf, cprng_fast64(), len);
		return;
	}
	if (__builtin_constant_p(len) && len != 0 && len <= 64) {
		unsigned char *const buffers = __atomic_load_n(&cprng_draw_1.buffers, __ATOMIC_ACQUIRE);
		unsigned char empty = 1;
		if (__builtin_expect(buffers != NULL, 1))
			CPRNG_DRAW_BYTES(&cprng_draw_1, CPRNG_RSEQ_OFFSET(&cprng_draw_1), buffers, buf, len, empty);
		if (__builtin_expect(!empty, 1))
			return;
	}
	cprng_request_slow_1(buf, len);
}
#endif
#endif

/*
 * Lemire, "Fast Random Integer Generation in an Interval" (ACM TOMACS 2019, doi:10.1145/3230636): the high half of
 * value * bound is uniform once the low halves below (2^w mod bound) are rejected; the division that finds that number
 * runs with probability bound / 2^w.
 */
CPRNG_INLINE_DRAW uint32_t cprng_uniform32(uint32_t bound)
{
	uint64_t m = (uint64_t)cprng_fast32() * bound;
	if (__builtin_expect((uint32_t)m < bound, 0)) {
		uint32_t refused = -bound % bound;
		while ((uint32_t)m < refused)
			m = (uint64_t)cprng_fast32() * bound;
	}
	return (uint32_t)(m >> 32);
}

CPRNG_INLINE_DRAW int cprng_bool(void)
{
	return cprng_fast8() & 1;
}

/*
 * A uniform real number is below p with probability p: compare its binary digits with those of p, 32 at a time, until they
 * differ.  The first 32 differ but for one number in 2^32.  Products by powers of 2 are exact, and a difference has the last digits
 * of the product.  The bits of p are compared as integers: a compiler that assumes finite numbers omits comparisons with a NaN.
 */
CPRNG_INLINE_DRAW int cprng_bernoulli(double p)
{
	uint64_t digits, word, bits;

	__builtin_memcpy(&bits, &p, sizeof(bits));
	if (__builtin_expect(CPRNG_IS_CERTAIN(bits), 0))
		return CPRNG_AT_LEAST_1(bits);
	p *= 4294967296.0; /* 2^32 */
	digits = (uint64_t)(int64_t)p;
	word = cprng_fast32();
	while (__builtin_expect(word == digits, 0)) {
		p = (p - (double)(int64_t)digits) * 4294967296.0;
		digits = (uint64_t)(int64_t)p;
		word = cprng_draw_slow_1(4);
	}
	return word < digits;
}

CPRNG_INLINE_DRAW int cprng_bernoulli_ratio(uint64_t numerator, uint64_t denominator)
{
	if (denominator >> 32 == 0)
		return cprng_uniform32((uint32_t)denominator) < numerator;
	return cprng_uniform64(denominator) < numerator;
}

CPRNG_INLINE_DRAW float cprng_float(void)
{
	return (float)(cprng_fast32() >> 8) * (1.0f / 16777216.0f); /* 2^-24 */
}

CPRNG_INLINE_DRAW double cprng_double(void)
{
	return (double)(cprng_fast64() >> 11) * (1.0 / 9007199254740992.0); /* 2^-53 */
}
#endif

#pragma GCC diagnostic pop
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
