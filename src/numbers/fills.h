/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of a backend.  A template, as numbers/arithmetic.h, which the file includes before.
 *
 *	CPRNG_N_NAME(function)	gives their names
 *	CPRNG_N_MULTIPLY(a, b)	the products of the lower halves of the lanes (n_bits)
 *	CPRNG_N_SIGNS(x)	the signs of the lanes of x (n_double), that of the first in the lowest bit
 *	CPRNG_N_MINIMUM(x, y)	the lesser of each two lanes (n_double)
 *
 * The last three, by instructions that compilers do not find, are defined where there are such.  So is n_store_lanes(), for four
 * lanes, in the file itself.
 */
#include "core/bytes.h"
#include "core/wipe.h"
#include "numbers/choices.h"
#include "numbers/numbers.h"

CPRNG_N_BEGIN

/* Two numbers of 32 bits in each lane. */
typedef int32_t n_int32 __attribute__((vector_size(8 * CPRNG_N_LANES)));
typedef uint32_t n_halves __attribute__((vector_size(8 * CPRNG_N_LANES)));
typedef float n_float __attribute__((vector_size(8 * CPRNG_N_LANES)));

typedef uint32_t n_uint32 __attribute__((vector_size(4 * CPRNG_N_LANES)));

enum { N_VECTOR = 8 * CPRNG_N_LANES };

/* Apply `step` to each whole vector in place, and to a copy of the remaining bytes that fills one more vector. */
#define N_EACH(place, bytes, step) \
	do { \
		uint8_t *at = (place); \
		size_t left = (bytes); \
		for (; left >= N_VECTOR; left -= N_VECTOR, at += N_VECTOR) { \
			step(at); \
		} \
		if (left != 0) { \
			uint8_t rest[N_VECTOR] = { 0 }; \
			memcpy(rest, at, left); \
			step(rest); \
			memcpy(at, rest, left); \
			cprng_wipe(rest, sizeof(rest)); \
		} \
	} while (0)

/* Apply a `step` of few instructions to the first vectors, four at a time: the loop would take as long as they do. */
#define N_FOURS(place, bytes, step) \
	for (; (bytes) >= 4 * N_VECTOR; (bytes) -= 4 * N_VECTOR, (place) += 4 * N_VECTOR) { \
		step((place)); \
		step((place) + 1 * N_VECTOR); \
		step((place) + 2 * N_VECTOR); \
		step((place) + 3 * N_VECTOR); \
	}

#ifndef CPRNG_N_SIGNS
CPRNG_INLINE unsigned int n_signs(n_double x)
{
	const n_bits bits = n_bits_of(x);
	unsigned int signs = 0;

	for (unsigned int lane = 0; lane < CPRNG_N_LANES; lane++)
		signs |= (unsigned int)(bits[lane] >> 63) << lane;
	return signs;
}
#define CPRNG_N_SIGNS(x) n_signs(x)
#endif

#ifndef CPRNG_N_MINIMUM
#define CPRNG_N_MINIMUM(x, y) n_select(N_MASK((x) < (y)), x, y)
#endif

CPRNG_INLINE n_bits n_load_word(const uint64_t *place)
{
	n_bits bits;

	memcpy(&bits, place, sizeof(bits));
	return bits;
}

CPRNG_INLINE void n_put(uint8_t *place, n_double x)
{
	memcpy(place, &x, sizeof(x));
}

/* Return the 53 high bits as a multiple of 2^-53. */
CPRNG_INLINE n_double n_uniform(n_bits x)
{
#if CPRNG_N_LANES == 8
	/* AVX-512DQ has an instruction for it. */
	return __builtin_convertvector(x >> 11, n_double) * 0x1p-53;
#else
	/*
	 * The highest of them is the lowest bit of the exponent.  If it is set, y is in [1, 2) and twice the result; if not,
	 * y is in [1/2, 1) and the result plus 1/2.  In either case the other expression is not less, and both are exact.
	 */
	const n_double y = n_double_of((x >> 11) | UINT64_C(0x3fe0000000000000));

	return CPRNG_N_MINIMUM(y * 0.5, y - 0.5);
#endif
}

CPRNG_INLINE void n_put_double(uint8_t *at)
{
	n_put(at, n_uniform(n_load(at)));
}

void CPRNG_N_NAME(doubles)(uint8_t *place, size_t count)
{
	size_t bytes = 8 * count;

	N_FOURS(place, bytes, n_put_double)
	N_EACH(place, bytes, n_put_double);
}

CPRNG_INLINE void n_put_floats(uint8_t *at)
{
	n_halves bits;
	n_float x;

	memcpy(&bits, at, sizeof(bits));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (unsigned int i = 0; i < 2 * CPRNG_N_LANES; i++)
		bits[i] = __builtin_bswap32(bits[i]);
#endif
	x = __builtin_convertvector((n_int32)(bits >> 8), n_float) * 0x1p-24f;
	memcpy(at, &x, sizeof(x));
}

void CPRNG_N_NAME(floats)(uint8_t *place, size_t count)
{
	size_t bytes = 4 * count;

	N_FOURS(place, bytes, n_put_floats)
	N_EACH(place, bytes, n_put_floats);
}

/*
 * Each logarithm is begun a vector ahead, and two are finished together: these chains of dependent operations then overlap, which
 * a CPU would otherwise have to look too far ahead for.
 */
void CPRNG_N_NAME(exponentials)(uint8_t *place, size_t count, double mean)
{
#define N_PUT_EXPONENTIAL(at) n_put(at, n_minus_log(n_begin_exponential(n_load(at))) * mean)
	size_t bytes = 8 * count;
	struct n_log a, b;

	if (bytes >= 2 * N_VECTOR)
		a = n_begin_exponential(n_load(place));
	for (; bytes >= 2 * N_VECTOR; bytes -= 2 * N_VECTOR, place += 2 * N_VECTOR) {
		n_double x, y;

		b = n_begin_exponential(n_load(place + N_VECTOR));
		x = n_minus_log(a);
		a = n_begin_exponential(n_load(bytes >= 4 * N_VECTOR ? place + 2 * N_VECTOR : place));
		y = n_minus_log(b);
		n_put(place, x * mean);
		n_put(place + N_VECTOR, y * mean);
	}
	N_EACH(place, bytes, N_PUT_EXPONENTIAL);
}

#ifndef CPRNG_N_MULTIPLY
#define CPRNG_N_MULTIPLY(a, b) (((a) & UINT32_MAX) * ((b) & UINT32_MAX))
#endif

/* Integers below a bound: the high half of word * bound, unless the low half is below refused (cprng_uniform32()). */
struct n_below {
	uint32_t bound, refused;
	uint64_t first; /* is added to each integer of 64 bits */
};

/* Words of which the refused ones are looked for together: the integers of 64 bits take eight vectors. */
enum { N_GROUP = 8 * CPRNG_N_LANES };

/* Return the integers of two words a lane, or of one; set the bits of *refused where a word is refused. */
CPRNG_INLINE n_bits n_below32(const struct n_below *below, const uint8_t *from, n_halves *refused)
{
	const n_bits bound = (n_bits){ 0 } + below->bound, high = (n_bits){ 0 } + (UINT64_MAX << 32);
	n_bits word, even, odd;

	memcpy(&word, from, sizeof(word));
	even = CPRNG_N_MULTIPLY(word, bound);
	odd = CPRNG_N_MULTIPLY(word >> 32, bound);
	*refused |= (n_halves)((n_halves)((even & ~high) | odd << 32) < below->refused);
	return even >> 32 | (odd & high);
}

CPRNG_INLINE n_bits n_below64(const struct n_below *below, const uint8_t *from, n_halves *refused)
{
	const n_bits bound = (n_bits){ 0 } + below->bound, high = (n_bits){ 0 } + (UINT64_MAX << 32);
	n_uint32 word;
	n_bits product;

	memcpy(&word, from, sizeof(word));
	product = CPRNG_N_MULTIPLY(__builtin_convertvector(word, n_bits), bound);
	*refused |= (n_halves)((n_halves)(product | high) < below->refused);
	return (product >> 32) + below->first;
}

/* Write the integers of a group of words, each of `size` bytes; or return false, with nothing written, if one is refused. */
CPRNG_INLINE bool n_put_group(const struct n_below *below, uint8_t *to, const uint8_t *from, size_t size)
{
	enum { VECTORS = 8 };
	n_bits made[VECTORS];
	n_halves refused = { 0 };
	uint32_t any = 0;

	for (size_t i = 0; i < N_GROUP * size / sizeof(made[0]); i++) {
		if (size == 4)
			made[i] = n_below32(below, from + sizeof(made[0]) * i, &refused);
		else
			made[i] = n_below64(below, from + sizeof(made[0]) / 2 * i, &refused);
	}
	for (size_t lane = 0; lane < 2 * CPRNG_N_LANES; lane++)
		any |= refused[lane];
	if (CPRNG_UNLIKELY(any != 0))
		return false;
	memcpy(to, made, N_GROUP * size);
	return true;
}

/* No word is read after an integer was written in its place. */
CPRNG_INLINE size_t n_put_below(uint8_t *to, const uint8_t *from, size_t count, uint32_t bound, uint64_t first,
				size_t size)
{
	const struct n_below below = { bound, bound == 0 ? 0 : -bound % bound, first };
	uint8_t *const begin = to;

	while (count != 0) {
		const size_t n = count < N_GROUP ? count : (size_t)N_GROUP;

		if (n == N_GROUP && cprng_le32(1) == 1 && n_put_group(&below, to, from, size)) {
			to += N_GROUP * size;
		} else {
			for (size_t i = 0; i < n; i++) {
				const uint64_t m = (uint64_t)cprng_load_le32(from + 4 * i) * bound,
					       value = (m >> 32) + first;
				const uint32_t value32 = (uint32_t)value;

				/* Behind the last one in any case: bounds that refuse many words would mispredict a branch. */
				memcpy(to, size == 4 ? (const void *)&value32 : &value, size);
				to += (uint32_t)m >= below.refused ? size : 0;
			}
		}
		from += 4 * n;
		count -= n;
	}
	return (size_t)(to - begin) / size;
}

size_t CPRNG_N_NAME(uniform32)(uint8_t *place, size_t count, uint32_t bound)
{
	return n_put_below(place, place, count, bound, 0, 4);
}

size_t CPRNG_N_NAME(narrow64)(uint8_t *place, size_t count, uint32_t bound, uint64_t first)
{
	return n_put_below(place, place + 4 * count, count, bound, first, 8);
}

#if CPRNG_N_LANES >= 4
#define N_GROUP_VECTORS _Pragma("GCC unroll 2") for (size_t i = 0; i < CPRNG_ORDER_GROUP / CPRNG_N_LANES; i++)

/* low and high have the two halves of each word, in the low halves of their lanes.  The other bits there are not used. */
CPRNG_CLEARS size_t CPRNG_N_NAME(indexes)(uint64_t *to, uint64_t *words, size_t count, uint64_t bound,
					  unsigned int per_word, uint32_t limit)
{
	static const uint64_t lanes[CPRNG_ORDER_GROUP] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	const uint64_t group = CPRNG_ORDER_GROUP * (uint64_t)per_word;
	size_t made;

	for (made = 0; count - made >= CPRNG_ORDER_GROUP && bound > group; made += CPRNG_ORDER_GROUP, bound -= group) {
		n_bits word[CPRNG_ORDER_GROUP / CPRNG_N_LANES], low[CPRNG_ORDER_GROUP / CPRNG_N_LANES];
		n_bits high[CPRNG_ORDER_GROUP / CPRNG_N_LANES], bounds[CPRNG_ORDER_GROUP / CPRNG_N_LANES];
		n_bits below = { 0 };

		N_GROUP_VECTORS
		{
			const n_bits none = { 0 };

			low[i] = word[i] = n_load_word(words + made + CPRNG_N_LANES * i);
			high[i] = word[i] >> 32;
			bounds[i] = bound - n_load_word(lanes + CPRNG_N_LANES * i);
			memcpy(words + made + CPRNG_N_LANES * i, &none, sizeof(none));
		}
		/* The last indexes may take the place of the words. */
		for (unsigned int n = 0; n < per_word; n++, to += CPRNG_ORDER_GROUP) {
			N_GROUP_VECTORS
			{
				n_bits index;

				low[i] = CPRNG_N_MULTIPLY(low[i], bounds[i]);
				high[i] = CPRNG_N_MULTIPLY(high[i], bounds[i]) + (low[i] >> 32);
				index = high[i] >> 32;
				memcpy(to + CPRNG_N_LANES * i, &index, sizeof(index));
				bounds[i] -= CPRNG_ORDER_GROUP;
			}
		}
		N_GROUP_VECTORS below |= (high[i] & UINT32_MAX) - limit; /* its sign */
		if (CPRNG_UNLIKELY(CPRNG_N_SIGNS(n_double_of(below)) != 0)) {
			N_GROUP_VECTORS memcpy(words + made + CPRNG_N_LANES * i, &word[i], sizeof(word[i]));
			break;
		}
	}
	return made;
}
#endif

enum {
	N_PAIR = 2 * CPRNG_N_LANES,        /* numbers in two vectors */
	N_PASS = 8192,                     /* numbers per pass: 16 bits hold their places */
	N_TAILS = 32,                      /* tails computed at a time */
	N_BATCH = N_TAILS / CPRNG_N_LANES, /* their vectors */
};

/* Numbers that lie in a tail, outside the central function's range: one in seven.  They wait here for others. */
struct n_tails {
	uint64_t bits[N_TAILS + N_PAIR];
	n_double f[N_BATCH], s[N_BATCH], k[N_BATCH]; /* their logarithms, half computed; then f is the logarithm */
	uint16_t at[N_TAILS + N_PAIR];
};

/*
 * Record which of a vector's numbers lie in a tail, where r is negative.  Every number is written to the next entries,
 * and the count advances only past those in a tail: there is no branch, which would be mispredicted.
 */
#if CPRNG_N_LANES == 4
CPRNG_INLINE size_t n_find_tails(const uint8_t *place, n_double r, size_t first, struct n_tails *tails, size_t found)
{
	/* The lanes whose bits are set in an index, in ascending order. */
	static const uint16_t lanes[1 << CPRNG_N_LANES][CPRNG_N_LANES] = {
		{ 0 }, { 0 },    { 1 },    { 0, 1 },    { 2 },    { 0, 2 },    { 1, 2 },    { 0, 1, 2 },
		{ 3 }, { 0, 3 }, { 1, 3 }, { 0, 1, 3 }, { 2, 3 }, { 0, 2, 3 }, { 1, 2, 3 }, { 0, 1, 2, 3 },
	};
	const unsigned int mask = CPRNG_N_SIGNS(r);
	uint64_t at;

	n_store_lanes(tails->bits + found, n_load(place + 8 * first), mask);
	memcpy(&at, lanes[mask], sizeof(at));
	at += first * UINT64_C(0x0001000100010001);
	/* Not memcpy(), which _FORTIFY_SOURCE turns into a call, as it cannot see that there is room. */
	__builtin_memcpy(tails->at + found, &at, sizeof(at));
	return found + (size_t)__builtin_popcount(mask);
}
#else
CPRNG_INLINE size_t n_find_tails(const uint8_t *place, n_double r, size_t first, struct n_tails *tails, size_t found)
{
	(void)r;
	for (size_t lane = 0; lane < CPRNG_N_LANES; lane++) {
		const uint64_t bits = cprng_load_le64(place + 8 * (first + lane));

		tails->bits[found] = bits;
		tails->at[found] = (uint16_t)(first + lane);
		found += (bits | 1) + (CPRNG_NORMAL_TAIL - 1) > 2 * (CPRNG_NORMAL_TAIL - 1);
	}
	return found;
}
#endif

CPRNG_INLINE void n_scatter(uint8_t *place, const uint16_t *at, n_double x)
{
	_Pragma("GCC unroll 8") for (size_t lane = 0; lane < CPRNG_N_LANES; lane++)
	{
		const double made = x[lane];

		memcpy(place + 8 * (size_t)at[lane], &made, sizeof(made));
	}
}

/*
 * Compute count tails.  Three loops, because one would be a chain of so many dependent operations that a CPU does not look far
 * enough ahead to overlap them with the next vector's.  The last one takes all for near tails, which most are.
 */
static CPRNG_NOINLINE void n_put_tails(uint8_t *place, struct n_tails *tails, size_t count, double mu, double sigma)
{
	const size_t vectors = (count + N_PAIR - 1) / N_PAIR * 2;
	n_bits far = { 0 };
	n_double x, y;

	/* Pad the last two vectors with copies of the first number. */
	for (size_t i = count; i % N_PAIR != 0; i++) {
		tails->bits[i] = tails->bits[0];
		tails->at[i] = tails->at[0];
	}
	for (size_t i = 0; i < vectors; i++) {
		const struct n_log log = n_normal_begin_log(n_load_word(tails->bits + i * CPRNG_N_LANES));

		tails->f[i] = log.f;
		tails->s[i] = log.s;
		tails->k[i] = log.k;
	}
	for (size_t i = 0; i < vectors; i++) {
		tails->f[i] = n_minus_log((struct n_log){ tails->f[i], tails->s[i], tails->k[i] });
		far |= N_MASK(tails->f[i] >= CPRNG_NORMAL_MIDDLE_FROM);
	}
	for (size_t i = 0; i < vectors; i += 2) {
		const size_t first = i * CPRNG_N_LANES, second = first + CPRNG_N_LANES;

		x = n_normal_tail_near(n_load_word(tails->bits + first), tails->f[i]);
		y = n_normal_tail_near(n_load_word(tails->bits + second), tails->f[i + 1]);
		n_scatter(place, tails->at + first, x * sigma + mu);
		n_scatter(place, tails->at + second, y * sigma + mu);
	}
	/* Seven numbers in ten thousand lie far in a tail. */
	if (CPRNG_UNLIKELY(CPRNG_N_SIGNS(n_double_of(far)) != 0))
		for (size_t i = 0; i < count; i++)
			if (tails->f[i / CPRNG_N_LANES][i % CPRNG_N_LANES] >= CPRNG_NORMAL_MIDDLE_FROM) {
				const double made = cprng_number_normal(tails->bits[i], mu, sigma);

				memcpy(place + 8 * (size_t)tails->at[i], &made, sizeof(made));
			}
}

struct n_argument {
	n_double q, r;
};

CPRNG_INLINE struct n_argument n_argument(const uint8_t *place)
{
	const n_double q = n_distance(n_load(place));

	return (struct n_argument){ q, CPRNG_NORMAL_SPLIT - q * q };
}

/*
 * Make count numbers, a multiple of N_PAIR, at most N_PASS.  Each argument is computed a vector ahead, and two quotients are
 * finished together: these chains of dependent operations then overlap with the polynomials (as in n_put_tails()).
 */
static CPRNG_NOINLINE void n_put_normals(uint8_t *place, size_t count, double mu, double sigma)
{
	struct n_argument a = n_argument(place), b;
	struct n_tails tails;
	size_t found = 0;

	for (size_t i = 0; i < count; i += N_PAIR) {
		const size_t next = i + N_PAIR < count ? i + N_PAIR : i;
		n_double x, y;

		b = n_argument(place + 8 * i + N_VECTOR);
		found = n_find_tails(place, a.r, i, &tails, found);
		found = n_find_tails(place, b.r, i + CPRNG_N_LANES, &tails, found);
		x = n_normal_centre(a.q, a.r);
		a = n_argument(place + 8 * next);
		y = n_normal_centre(b.q, b.r);
		n_put(place + 8 * i, x * sigma + mu);
		n_put(place + 8 * i + N_VECTOR, y * sigma + mu);
		if (CPRNG_UNLIKELY(found >= N_TAILS)) {
			n_put_tails(place, &tails, N_TAILS, mu, sigma);
			found -= N_TAILS;
			memcpy(tails.bits, tails.bits + N_TAILS, sizeof(tails.bits[0]) * N_PAIR);
			memcpy(tails.at, tails.at + N_TAILS, sizeof(tails.at[0]) * N_PAIR);
		}
	}
	if (found != 0)
		n_put_tails(place, &tails, found, mu, sigma);
	cprng_wipe(&tails, sizeof(tails));
}

void CPRNG_N_NAME(normals)(uint8_t *place, size_t count, double mu, double sigma)
{
	uint8_t rest[8 * N_PAIR] = { 0 };

	for (size_t n; count >= N_PAIR; place += 8 * n, count -= n) {
		n = count < N_PASS ? count - count % N_PAIR : N_PASS;
		n_put_normals(place, n, mu, sigma);
	}
	if (count != 0) {
		memcpy(rest, place, 8 * count);
		n_put_normals(rest, N_PAIR, mu, sigma);
		memcpy(place, rest, 8 * count);
		cprng_wipe(rest, sizeof(rest));
	}
}

CPRNG_N_END
