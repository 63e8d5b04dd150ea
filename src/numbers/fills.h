/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A backend's functions.  A template like numbers/arithmetic.h, which the source includes first; CPRNG_N_NAME(function) gives
 * the functions' names.
 */
#include "core/wipe.h"
#include "numbers/numbers.h"

CPRNG_N_BEGIN

typedef int32_t n_int32 __attribute__((vector_size(4 * CPRNG_N_LANES)));
typedef uint32_t n_uint32 __attribute__((vector_size(4 * CPRNG_N_LANES)));
typedef float n_float __attribute__((vector_size(4 * CPRNG_N_LANES)));

/*
 * Apply `step` to each whole vector in place, and to a copy of the remaining numbers that fills one more vector.
 */
#define N_EACH(place, count, size, step) \
	do { \
		uint8_t *at = (place); \
		size_t left = (count); \
		for (; left >= CPRNG_N_LANES; left -= CPRNG_N_LANES, at += CPRNG_N_LANES * (size)) { \
			step(at); \
		} \
		if (left != 0) { \
			const size_t bytes = (size) * left; \
			uint8_t rest[CPRNG_N_LANES * (size)] = { 0 }; \
			memcpy(rest, at, bytes); \
			step(rest); \
			memcpy(at, rest, bytes); \
			cprng_wipe(rest, sizeof(rest)); \
		} \
	} while (0)

CPRNG_INLINE void n_put(uint8_t *place, n_double x)
{
	memcpy(place, &x, sizeof(x));
}

CPRNG_INLINE void n_put_double(uint8_t *at)
{
	n_put(at, n_unsigned(n_load(at) >> 11) * 0x1p-53);
}

void CPRNG_N_NAME(doubles)(uint8_t *place, size_t count)
{
	N_EACH(place, count, 8, n_put_double);
}

CPRNG_INLINE void n_put_float(uint8_t *at)
{
	n_uint32 bits;
	n_float x;

	memcpy(&bits, at, sizeof(bits));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	for (unsigned int i = 0; i < CPRNG_N_LANES; i++)
		bits[i] = __builtin_bswap32(bits[i]);
#endif
	x = __builtin_convertvector((n_int32)(bits >> 8), n_float) * 0x1p-24f;
	memcpy(at, &x, sizeof(x));
}

void CPRNG_N_NAME(floats)(uint8_t *place, size_t count)
{
	N_EACH(place, count, 4, n_put_float);
}

void CPRNG_N_NAME(exponentials)(uint8_t *place, size_t count, double mean)
{
#define N_PUT_EXPONENTIAL(at) n_put(at, n_exponential(n_load(at)) * mean)
	N_EACH(place, count, 8, N_PUT_EXPONENTIAL);
}

/*
 * Numbers per pass: their tails are computed while the pass is in the first-level cache.  Twice as many are no faster, and take
 * 1.3 KiB more of stack, which must be wiped (api/draws.c).
 */
enum { N_PASS = 128 };

/* The numbers of a pass that lie in a tail, outside the central function's range: one in seven. */
struct n_tails {
	uint64_t bits[N_PASS + CPRNG_N_LANES];
	uint16_t at[N_PASS + CPRNG_N_LANES];
};

/*
 * Record which numbers of a vector lie in a tail.  Every number is written to the next entry, and the count advances only if it
 * is in a tail: there is no branch, which would be mispredicted.
 */
CPRNG_INLINE size_t n_find_tails(const uint8_t *place, size_t first, struct n_tails *tails, size_t found)
{
	for (size_t lane = 0; lane < CPRNG_N_LANES; lane++) {
		const uint64_t bits = cprng_load_le64(place + 8 * (first + lane));

		tails->bits[found] = bits;
		tails->at[found] = (uint16_t)(first + lane);
		found += (bits | 1) + (CPRNG_NORMAL_TAIL - 1) > 2 * (CPRNG_NORMAL_TAIL - 1);
	}
	return found;
}

/* Compute all tails of the pass at place. */
static CPRNG_NOINLINE void n_put_tails(uint8_t *place, struct n_tails *tails, size_t count, double mu, double sigma)
{
	/* Pad the last vector with copies of the first number. */
	for (size_t i = 0; i < CPRNG_N_LANES; i++) {
		tails->bits[count + i] = tails->bits[0];
		tails->at[count + i] = tails->at[0];
	}
	for (size_t i = 0; i < count; i += CPRNG_N_LANES) {
		double logs[CPRNG_N_LANES], made[CPRNG_N_LANES];
		n_bits w;
		n_double log, x;

		memcpy(&w, tails->bits + i, sizeof(w));
		w |= 1;
		log = n_normal_tail_log(w);
		x = n_normal_tail_near(w, log) * sigma + mu;
		memcpy(logs, &log, sizeof(logs));
		memcpy(made, &x, sizeof(made));
		for (size_t lane = 0; lane < CPRNG_N_LANES; lane++) {
			/* Seven in ten thousand. */
			if (CPRNG_UNLIKELY(logs[lane] >= CPRNG_NORMAL_MIDDLE_FROM))
				made[lane] = cprng_number_normal(tails->bits[i + lane], mu, sigma);
			memcpy(place + 8 * (size_t)tails->at[i + lane], &made[lane], sizeof(made[lane]));
		}
	}
}

void CPRNG_N_NAME(normals)(uint8_t *place, size_t count, double mu, double sigma)
{
	struct n_tails tails;

	while (count >= CPRNG_N_LANES) {
		const size_t pass = count < N_PASS ? count - count % CPRNG_N_LANES : N_PASS;
		size_t found = 0;

		for (size_t i = 0; i < pass; i += CPRNG_N_LANES) {
			n_double q, r;

			found = n_find_tails(place, i, &tails, found);
			q = n_distance(n_load(place + 8 * i) | 1);
			r = CPRNG_NORMAL_SPLIT - q * q;
			n_put(place + 8 * i, n_normal_centre(q, r) * sigma + mu);
		}
		if (found != 0)
			n_put_tails(place, &tails, found, mu, sigma);
		place += 8 * pass;
		count -= pass;
	}
	for (; count != 0; count--, place += 8) {
		const double x = cprng_number_normal(cprng_load_le64(place), mu, sigma);
		memcpy(place, &x, sizeof(x));
	}
	cprng_wipe(&tails, sizeof(tails));
}

CPRNG_N_END
