/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arithmetic on vectors of doubles.  A template, without an include guard.  Each source includes it once, and first defines
 *
 *	CPRNG_N_LANES			doubles in a vector; 1: no vectors
 *	CPRNG_N_BEGIN, CPRNG_N_END	brackets around functions that use the instruction set
 *
 * Each operation works lane by lane in the order written here, so the number of lanes does not change a result.
 */
#include "core/bytes.h"
#include "numbers/constants.h"

CPRNG_N_BEGIN

#if CPRNG_N_LANES == 1
typedef double n_double;
typedef uint64_t n_bits;
#define N_MASK(condition) (-(uint64_t)(condition))
#else
typedef double n_double __attribute__((vector_size(8 * CPRNG_N_LANES)));
typedef uint64_t n_bits __attribute__((vector_size(8 * CPRNG_N_LANES)));
typedef int64_t n_integers __attribute__((vector_size(8 * CPRNG_N_LANES)));
#define N_MASK(condition) ((n_bits)(condition))
#endif

CPRNG_INLINE n_bits n_bits_of(n_double x)
{
	n_bits bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

CPRNG_INLINE n_double n_double_of(n_bits bits)
{
	n_double x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

CPRNG_INLINE n_bits n_load(const uint8_t *place)
{
	n_bits bits;

	memcpy(&bits, place, sizeof(bits));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#if CPRNG_N_LANES == 1
	bits = __builtin_bswap64(bits);
#else
	for (unsigned int i = 0; i < CPRNG_N_LANES; i++)
		bits[i] = __builtin_bswap64(bits[i]);
#endif
#endif
	return bits;
}

CPRNG_INLINE n_double n_select(n_bits mask, n_double yes, n_double no)
{
	return n_double_of((n_bits_of(yes) & mask) | (n_bits_of(no) & ~mask));
}

#if CPRNG_N_LANES == 8
/* Convert an unsigned integer, divided by 2^64, to the nearest double: AVX-512DQ has instructions for these and signed ones. */
CPRNG_INLINE n_double n_unsigned(n_bits x)
{
	return __builtin_convertvector(x, n_double) * 0x1p-64;
}

/* Return the distance of the probability from 1/2: w / 2^64, where w is the word in two's complement with its lowest bit set. */
CPRNG_INLINE n_double n_distance(n_bits word)
{
	return __builtin_convertvector((n_integers)(word | 1), n_double) * 0x1p-64;
}

/* Convert an unsigned integer as n_unsigned() does.  Its highest bit must be set, but counts as 0; its lowest one counts as 1. */
CPRNG_INLINE n_double n_middle_bits(n_bits x)
{
	return n_unsigned((x & UINT64_MAX >> 1) | 1);
}
#else
/*
 * Convert an unsigned integer, divided by 2^64, to the nearest double.  Each half becomes the low bits of a double that is a power
 * of two, after some bits of the upper half are flipped and of the lower set.  Subtracting both powers (and half a power, for
 * an integer that has a sign) from the upper half is exact; the sum of the halves is rounded once.
 */
CPRNG_INLINE n_double n_join(n_bits x, uint64_t flipped, uint64_t set, double subtracted)
{
	const n_double high = n_double_of((x >> 32) ^ (UINT64_C(0x4130000000000000) | flipped));
	const n_double low = n_double_of((x & UINT64_C(0xffffffff)) | (UINT64_C(0x3f30000000000000) | set));

	return (high - (0x1p20 + 0x1p-12 + subtracted)) + low;
}

CPRNG_INLINE n_double n_unsigned(n_bits x)
{
	return n_join(x, 0, 0, 0.0);
}

/* Return the distance of the probability from 1/2: w / 2^64, where w is the word in two's complement with its lowest bit set. */
CPRNG_INLINE n_double n_distance(n_bits word)
{
	return n_join(word, UINT64_C(1) << 31, 1, 0.5);
}

/* Convert an unsigned integer as n_unsigned() does.  Its highest bit must be set, but counts as 0; its lowest one counts as 1. */
CPRNG_INLINE n_double n_middle_bits(n_bits x)
{
	return n_join(x, UINT64_C(1) << 31, 1, 0.0);
}
#endif

/*
 * Tables of coefficients.  SSE2, AVX2 and NEON have no operands that are loaded into every lane, so there the tables have vectors:
 * a load for each coefficient would take a third of the instructions.
 */
#if CPRNG_N_LANES == 2 || CPRNG_N_LANES == 4
typedef n_double n_coefficient;
#else
typedef double n_coefficient;
#endif
#if CPRNG_N_LANES == 2
#define N_COEFFICIENT(c) { c, c }
#elif CPRNG_N_LANES == 4
#define N_COEFFICIENT(c) { c, c, c, c }
#else
#define N_COEFFICIENT(c) c
#endif
#define N_TABLE(...) N_TABLE_OF(__VA_ARGS__)
#define N_TABLE_OF(a, b, c, d, e, f, g, h) \
	{ N_COEFFICIENT(a), N_COEFFICIENT(b), N_COEFFICIENT(c), N_COEFFICIENT(d), \
	  N_COEFFICIENT(e), N_COEFFICIENT(f), N_COEFFICIENT(g), N_COEFFICIENT(h) }

/*
 * A polynomial of degree 7, evaluated in four pairs.  The assembly hides the coefficients from the compiler: otherwise clang 13 to
 * 16 load each into a vector before a loop that has too few registers for them, and spill them into frames of up to 4 KiB.
 */
CPRNG_INLINE n_double n_polynomial(const n_coefficient c[8], n_double x)
{
	const n_double x2 = x * x, x4 = x2 * x2;

	__asm__("" : "+r"(c));
	return ((c[0] + c[1] * x) + (c[2] + c[3] * x) * x2) + ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2) * x4;
}

/* A logarithm half computed: what precedes it to its first division. */
struct n_log {
	n_double f, s, k;
};

/* Begin -log(p), 2^-64 <= p <= 1.  near, if not NULL, is p - 1 with a smaller error, used where k is 0. */
CPRNG_INLINE struct n_log n_begin_log(n_double p, const n_double *near)
{
	const uint64_t root = UINT64_C(0x3fe6a09e667f3bcd), one = UINT64_C(0x3ff0000000000000); /* sqrt(1/2), 1 */
	const n_bits shifted = n_bits_of(p) + (one - root);
	const n_double k = n_double_of((shifted >> 52) | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023.0);
	n_double f = n_double_of((shifted & UINT64_C(0x000fffffffffffff)) + root) - 1.0;

	if (near != NULL)
		f = n_select(N_MASK(k == 0.0), *near, f);
	return (struct n_log){ f, f / (2.0 + f), k };
}

/* Return -log(p). */
CPRNG_INLINE n_double n_minus_log(struct n_log log)
{
	static const double c[] = { CPRNG_LOG_C };
	const n_double f = log.f, s = log.s, k = log.k;
	const n_double z = s * s, z2 = z * z, z4 = z2 * z2;
	const n_double r = z * (((c[0] + c[1] * z) + (c[2] + c[3] * z) * z2) + ((c[4] + c[5] * z) + c[6] * z2) * z4);
	const n_double h = 0.5 * f * f;

	return ((h - (s * (h + r) + k * CPRNG_LOG_2_LOW)) - f) - k * CPRNG_LOG_2_HIGH;
}

CPRNG_INLINE n_double n_normal_centre(n_double q, n_double r)
{
	static const n_coefficient p[] = N_TABLE(CPRNG_NORMAL_CENTRE_P), d[] = N_TABLE(CPRNG_NORMAL_CENTRE_Q);

	return q * n_polynomial(p, r) / n_polynomial(d, r);
}

/*
 * Begin -log of the tail probability beyond w, (2^63 - |w|) / 2^64, where w is the word with its lowest bit set.  2^63 - |w| is w
 * or -w without its highest bit, and -w is ~w with its lowest bit set.
 */
CPRNG_INLINE struct n_log n_normal_begin_log(n_bits word)
{
	return n_begin_log(n_middle_bits(word ^ N_MASK(word <= UINT64_MAX >> 1)), NULL);
}

/* Return P(x) / Q(x), with the sign of w. */
CPRNG_INLINE n_double n_normal_tail(n_bits w, n_double x, const n_coefficient p[8], const n_coefficient d[8])
{
	const n_double z = n_polynomial(p, x) / n_polynomial(d, x);

	return n_double_of(n_bits_of(z) | (w & (UINT64_C(1) << 63)));
}

CPRNG_INLINE n_double n_normal_tail_near(n_bits w, n_double log)
{
	static const n_coefficient p[] = N_TABLE(CPRNG_NORMAL_NEAR_P), d[] = N_TABLE(CPRNG_NORMAL_NEAR_Q);

	return n_normal_tail(w, log - CPRNG_NORMAL_NEAR_FROM, p, d);
}

/* Begin the logarithm that is the exponential number of these bits. */
CPRNG_INLINE struct n_log n_begin_exponential(n_bits bits)
{
	const n_bits w = bits | 1;
	const n_double near = -n_unsigned(-w);

	return n_begin_log(n_unsigned(w), &near);
}

CPRNG_N_END
