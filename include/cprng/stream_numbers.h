/* SPDX-License-Identifier: BSD-2-Clause */
/* The inlined numbers and reads of streams.  Included by <cprng/stream.h>, which has the contracts of the functions. */
#ifndef CPRNG_STREAM_NUMBERS_H
#define CPRNG_STREAM_NUMBERS_H

#ifdef __cplusplus
extern "C" {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* as in draw.h */
#endif

CPRNG_PRAGMA(GCC visibility push(CPRNG_VISIBILITY)) /* as in cprng.h */

/* The slow path: return the next bytes, up to 8, as a little-endian integer, across the end of the buffer. */
uint64_t cprng_stream_slow_1(cprng_stream *s, unsigned int bytes);

/* cprng_stream_read() where it is not inlined. */
int cprng_stream_read_slow_1(cprng_stream *s, void *buf, size_t len) CPRNG_WARN_UNUSED;

/* CPRNG_NO_INLINE: as in draw.h. */
#ifndef CPRNG_NO_INLINE

#ifndef CPRNG_INLINE_STREAM
#define CPRNG_INLINE_STREAM extern __inline__ __attribute__((gnu_inline))
#endif

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define CPRNG_STREAM_SWAP(swap, value) swap(value)
#else
#define CPRNG_STREAM_SWAP(swap, value) (value)
#endif

#define CPRNG_DEFINE_STREAM_NUMBER(bits, swap) \
	CPRNG_INLINE_STREAM uint##bits##_t cprng_stream_u##bits(cprng_stream *s) \
	{ \
		uint##bits##_t value; \
		if (__builtin_expect(s == NULL || s->next > -(ptrdiff_t)sizeof(value), 0)) \
			return (uint##bits##_t)cprng_stream_slow_1(s, sizeof(value)); \
		__builtin_memcpy(&value, s->buffer + CPRNG_STREAM_BUFFER + s->next, sizeof(value)); \
		s->next += (ptrdiff_t)sizeof(value); \
		return CPRNG_STREAM_SWAP(swap, value); \
	}
CPRNG_DEFINE_STREAM_NUMBER(8, (uint8_t))
CPRNG_DEFINE_STREAM_NUMBER(16, __builtin_bswap16)
CPRNG_DEFINE_STREAM_NUMBER(32, __builtin_bswap32)
CPRNG_DEFINE_STREAM_NUMBER(64, __builtin_bswap64)
#undef CPRNG_DEFINE_STREAM_NUMBER
#undef CPRNG_STREAM_SWAP

/* Inlined for sizes up to 64 bytes that are known at compile time, like cprng_fast(). */
CPRNG_INLINE_STREAM int cprng_stream_read(cprng_stream *s, void *buf, size_t len)
{
	if (!__builtin_constant_p(len) || len == 0 || len > 64 ||
	    __builtin_expect(s == NULL || buf == NULL || s->next > -(ptrdiff_t)len, 0))
		return cprng_stream_read_slow_1(s, buf, len);
	__builtin_memcpy(buf, s->buffer + CPRNG_STREAM_BUFFER + s->next, len);
	s->next += (ptrdiff_t)len;
	return 0;
}

CPRNG_INLINE_STREAM int cprng_stream_bool(cprng_stream *s)
{
	return cprng_stream_u8(s) & 1;
}

/* Both products are exact, so no compiler can round them differently. */
CPRNG_INLINE_STREAM float cprng_stream_float(cprng_stream *s)
{
	return (float)(cprng_stream_u32(s) >> 8) * (1.0f / 16777216.0f); /* 2^-24 */
}

CPRNG_INLINE_STREAM double cprng_stream_double(cprng_stream *s)
{
	return (double)(cprng_stream_u64(s) >> 11) * (1.0 / 9007199254740992.0); /* 2^-53 */
}

/* Like cprng_uniform32() in <cprng/draw.h>, which cites the method. */
CPRNG_INLINE_STREAM uint32_t cprng_stream_uniform32(cprng_stream *s, uint32_t bound)
{
	uint64_t m = (uint64_t)cprng_stream_u32(s) * bound;
	if (__builtin_expect((uint32_t)m < bound, 0)) {
		uint32_t refused = -bound % bound;
		while ((uint32_t)m < refused)
			m = (uint64_t)cprng_stream_u32(s) * bound;
	}
	return (uint32_t)(m >> 32);
}

/* Like cprng_bernoulli(), 64 digits at a time; first 63, because the conversion to an unsigned integer has a branch. */
CPRNG_INLINE_STREAM int cprng_stream_bernoulli(cprng_stream *s, double p)
{
	uint64_t word = cprng_stream_u64(s), digits, bits;

	__builtin_memcpy(&bits, &p, sizeof(bits));
	if (__builtin_expect(CPRNG_IS_CERTAIN(bits), 0))
		return CPRNG_AT_LEAST_1(bits);
	digits = (uint64_t)(int64_t)(p * 9223372036854775808.0); /* 2^63 */
	if (__builtin_expect(word >> 1 != digits, 1))
		return word >> 1 < digits;
	for (;;) {
		p *= 18446744073709551616.0; /* 2^64 */
		digits = (uint64_t)p;
		p -= (double)digits;
		if (word != digits || !(p > 0))
			return word < digits;
		word = cprng_stream_slow_1(s, sizeof(word));
	}
}

CPRNG_INLINE_STREAM int cprng_stream_bernoulli_ratio(cprng_stream *s, uint64_t numerator, uint64_t denominator)
{
	if (denominator >> 32 == 0)
		return cprng_stream_uniform32(s, (uint32_t)denominator) < numerator;
	return cprng_stream_uniform64(s, denominator) < numerator;
}

#endif

#pragma GCC visibility pop

#ifdef __cplusplus
#pragma GCC diagnostic pop
}
#endif
#endif
