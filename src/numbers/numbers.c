/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers/numbers.h"

#include "core/bytes.h"
#include "cpu/cpu.h"
#include "numbers/scalar.h"

#define CPRNG_N_LANES 1
#include "numbers/arithmetic.h"

CPRNG_N_BEGIN

bool cprng_number_normal_valid(double mu, double sigma)
{
	/* x - x is 0 for a finite x, and NaN otherwise. */
	return mu - mu == 0.0 && sigma - sigma == 0.0 && sigma >= 0.0;
}

bool cprng_number_exponential_valid(double mean)
{
	return mean - mean == 0.0 && mean >= 0.0;
}

CPRNG_CLEARS static double standard_normal(uint64_t w)
{
	static const double middle[][8] = { { CPRNG_NORMAL_MIDDLE_P }, { CPRNG_NORMAL_MIDDLE_Q } };
	static const double far[][8] = { { CPRNG_NORMAL_FAR_P }, { CPRNG_NORMAL_FAR_Q } };
	const double q = n_distance(w), r = CPRNG_NORMAL_SPLIT - q * q;
	double log;

	if (r >= 0.0)
		return n_normal_centre(q, r);
	log = n_minus_log(n_normal_begin_log(w));
	if (CPRNG_LIKELY(log < CPRNG_NORMAL_MIDDLE_FROM))
		return n_normal_tail_near(w, log);
	if (log < CPRNG_NORMAL_FAR_FROM)
		return n_normal_tail(w, log - CPRNG_NORMAL_MIDDLE_FROM, middle[0], middle[1]);
	return n_normal_tail(w, log - CPRNG_NORMAL_FAR_FROM, far[0], far[1]);
}

/* Opaque: gcc 12 fails to compile a call to a clone for constant arguments from code without SSE2 (-O3 on 32-bit x86). */
CPRNG_CLEARS CPRNG_OPAQUE double cprng_number_normal(uint64_t bits, double mu, double sigma)
{
	return standard_normal(bits | 1) * sigma + mu;
}

CPRNG_CLEARS CPRNG_OPAQUE double cprng_number_exponential(uint64_t bits, double mean)
{
	return n_minus_log(n_begin_exponential(bits)) * mean;
}

CPRNG_N_END

#define ROW(name, needs, indexes) \
	{ #name, \
	  needs, \
	  cprng_numbers_doubles_##name, \
	  cprng_numbers_floats_##name, \
	  cprng_numbers_normals_##name, \
	  cprng_numbers_exponentials_##name, \
	  cprng_numbers_uniform32_##name, \
	  cprng_numbers_narrow64_##name, \
	  indexes }

const struct cprng_numbers_backend cprng_numbers_backends[] = {
#if defined(__x86_64__)
	ROW(avx512, CPRNG_CPU_AVX512, cprng_numbers_indexes_avx512),
	ROW(avx2, CPRNG_CPU_AVX2, cprng_numbers_indexes_avx2),
#endif
	ROW(lanes2, 0, NULL),
	{ NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL },
};

/*
 * Known answers for mu 0.1, sigma 0.3 and mean 0.7.  Fused multiply-adds, in the polynomials or in the last step, would change
 * all normals except the ninth, and the first, sixth and ninth exponentials.  Three of the eleven are in a tail.
 */
static const double answers_mu = 0.1, answers_sigma = 0.3, answers_mean = 0.7;
static const struct {
	uint64_t bits, normal, exponential;
} answers[] = {
	{ UINT64_C(0xa55e7c19645a2771), UINT64_C(0xbfcbab169f479231), UINT64_C(0x3fd393d6962dfc9d) },
	{ UINT64_C(0xcba276b2e5921c55), UINT64_C(0xbfaf5daf70bd4718), UINT64_C(0x3fc48145be8fd15c) },
	{ UINT64_C(0x10bf51edf13d2ca2), UINT64_C(0x3fc32019d6e76346), UINT64_C(0x3ffe8aad0d10912c) },
	{ UINT64_C(0xd6f84a543f7f5030), UINT64_C(0xbf9889d09add5f84), UINT64_C(0x3fbf4d74fd31002d) },
	{ UINT64_C(0x8a16b91905a86944), UINT64_C(0xbfdb5879166431c4), UINT64_C(0x3fdba77839888077) },
	{ UINT64_C(0xc694ead97b0a7cf1), UINT64_C(0xbfb4250bb0511a10), UINT64_C(0x3fc6c19e445195bb) },
	{ UINT64_C(0xbeea83f32672b7c0), UINT64_C(0xbfbb3a8fe799ec08), UINT64_C(0x3fca489893fed7fa) },
	{ UINT64_C(0x8817b96227b7227d), UINT64_C(0xbfdd44239439e2ee), UINT64_C(0x3fdc4e765dbb0a1d) },
	{ UINT64_C(0xb7e01563f6577561), UINT64_C(0xbfc113f7fb3406bc), UINT64_C(0x3fcda67fb83a169e) },
	{ UINT64_C(0x512a2642ce831805), UINT64_C(0x3fd7c29d336be49c), UINT64_C(0x3fe9bb178c9f8ecb) },
	{ UINT64_C(0x8b3a78f84cc2da93), UINT64_C(0xbfda627eba808fa4), UINT64_C(0x3fdb4934c12ba22f) },
};

/* Thirteen copies: 39 tails are more than a batch of them (N_TAILS), and 143 numbers leave a remainder at each width of vectors. */
enum { ANSWERS = CPRNG_ARRAY_SIZE(answers), COUNT = 13 * ANSWERS };

static void store_bits(uint8_t *place)
{
	for (size_t i = 0; i < COUNT; i++)
		cprng_store_le64(place + 8 * i, answers[i % ANSWERS].bits);
}

static bool is_double(const uint8_t *place, uint64_t expected)
{
	uint64_t bits;

	memcpy(&bits, place, sizeof(bits));
	return bits == expected;
}

CPRNG_N_BEGIN

/* In another rounding mode of the calling thread (fesetround) numbers differ, which says nothing about the backend. */
static CPRNG_NOINLINE bool rounds_to_nearest(void)
{
	volatile double one = 1.0, little = 0x1p-60;
	const double above = one + little, below = one - little;

	return above == 1.0 && below == 1.0;
}

CPRNG_N_END

int cprng_numbers_selftest(const struct cprng_numbers_backend *backend)
{
	uint8_t numbers[8 * COUNT];

	if (!rounds_to_nearest())
		return 0;
	store_bits(numbers);
	backend->normals(numbers, COUNT, answers_mu, answers_sigma);
	for (size_t i = 0; i < COUNT; i++) {
		if (!is_double(numbers + 8 * i, answers[i % ANSWERS].normal))
			return (int)(i % ANSWERS) + 1;
	}
	store_bits(numbers);
	backend->exponentials(numbers, COUNT, answers_mean);
	for (size_t i = 0; i < COUNT; i++) {
		if (!is_double(numbers + 8 * i, answers[i % ANSWERS].exponential))
			return (int)(i % ANSWERS) + 1;
	}
	for (size_t i = 0; i < ANSWERS; i++) {
		const double normal = cprng_number_normal(answers[i].bits, answers_mu, answers_sigma);
		const double exponential = cprng_number_exponential(answers[i].bits, answers_mean);

		if (!is_double((const uint8_t *)&normal, answers[i].normal) ||
		    !is_double((const uint8_t *)&exponential, answers[i].exponential))
			return (int)i + 1;
	}
	return 0;
}

bool cprng_numbers_usable(const struct cprng_numbers_backend *backend)
{
	return (backend->needs & ~cprng_cpu_features()) == 0;
}

const struct cprng_numbers_backend *cprng_numbers_first_usable(void)
{
	const struct cprng_numbers_backend *b = cprng_numbers_backends;

	while (!cprng_numbers_usable(b))
		b++;
	return b;
}

uint8_t cprng_numbers_passed;

const struct cprng_numbers_backend *cprng_numbers_select(void)
{
	/* Per backend: 1 passed, 2 failed, 0 untested.  All threads that find 0 reach the same verdict. */
	static uint8_t verdict[CPRNG_ARRAY_SIZE(cprng_numbers_backends)];

	for (const struct cprng_numbers_backend *b = cprng_numbers_backends; b->name != NULL; b++) {
		uint8_t *const v = &verdict[b - cprng_numbers_backends];
		uint8_t found = __atomic_load_n(v, __ATOMIC_RELAXED);

		if (!cprng_numbers_usable(b))
			continue;
		if (CPRNG_UNLIKELY(found == 0)) {
			found = cprng_numbers_selftest(b) == 0 ? 1 : 2;
			if (rounds_to_nearest()) {
				__atomic_store_n(v, found, __ATOMIC_RELAXED);
				if (found == 1)
					__atomic_store_n(&cprng_numbers_passed, 1, __ATOMIC_RELAXED);
			}
		}
		if (CPRNG_LIKELY(found == 1))
			return b;
	}
	return NULL;
}
