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
	/* x - x is 0 for a finite x, and otherwise not a number. */
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
	log = n_normal_tail_log(w);
	if (CPRNG_LIKELY(log < CPRNG_NORMAL_MIDDLE_FROM))
		return n_normal_tail_near(w, log);
	if (log < CPRNG_NORMAL_FAR_FROM)
		return n_normal_tail(w, log - CPRNG_NORMAL_MIDDLE_FROM, middle[0], middle[1]);
	return n_normal_tail(w, log - CPRNG_NORMAL_FAR_FROM, far[0], far[1]);
}

/* Opaque: gcc 12 fails to compile a call of a copy for constant arguments from code that lacks SSE2 (-O3 on 32-bit x86). */
CPRNG_CLEARS CPRNG_OPAQUE double cprng_number_normal(uint64_t bits, double mu, double sigma)
{
	return standard_normal(bits | 1) * sigma + mu;
}

CPRNG_CLEARS CPRNG_OPAQUE double cprng_number_exponential(uint64_t bits, double mean)
{
	return n_exponential(bits) * mean;
}

CPRNG_N_END

#define ROW(name, needs) \
	{ #name, \
	  needs, \
	  cprng_numbers_doubles_##name, \
	  cprng_numbers_floats_##name, \
	  cprng_numbers_normals_##name, \
	  cprng_numbers_exponentials_##name }

const struct cprng_numbers_backend cprng_numbers_backends[] = {
#if defined(__x86_64__)
	ROW(avx512, CPRNG_CPU_AVX512),
	ROW(avx2, CPRNG_CPU_AVX2),
#endif
	ROW(lanes2, 0),
	{ NULL, 0, NULL, NULL, NULL, NULL },
};

/*
 * Standard numbers that a fused multiply-add would change: all normals but the sixth, of the exponentials the first, the sixth and
 * the ninth.  Eleven fill the widest vector and leave a rest; three are in a tail.  From tests/vectors/models.py.
 */
static const struct {
	uint64_t bits, normal, exponential;
} answers[] = {
	{ UINT64_C(0xa55e7c19645a2771), UINT64_C(0xbff0dc9ec25dd23f), UINT64_C(0x3fdbf7c4d68ad697) },
	{ UINT64_C(0xd6f84a543f7f5030), UINT64_C(0xbfda720b7598c93c), UINT64_C(0x3fc65be5d96c24b3) },
	{ UINT64_C(0xddaa72d1c93066f9), UINT64_C(0xbfd5f01a651ab2cd), UINT64_C(0x3fc26ece630d6d6f) },
	{ UINT64_C(0x0e0f3d416bd91195), UINT64_C(0x3fc1ad522c612aea), UINT64_C(0x4007370b570a9d8e) },
	{ UINT64_C(0x892769e0b448e72a), UINT64_C(0xbffcd5c6956e1b80), UINT64_C(0x3fe3f868b166f4ea) },
	{ UINT64_C(0xb7e01563f6577561), UINT64_C(0xbfe8e5f95156059d), UINT64_C(0x3fd52dc8f14e1028) },
	{ UINT64_C(0x4880cf3dca82afa6), UINT64_C(0x3fe90f25657aa971), UINT64_C(0x3ff42f4c2fb198e6) },
	{ UINT64_C(0x7568c757dbeee1dd), UINT64_C(0x3ffbc294ab6e619e), UINT64_C(0x3fe8f1c1e12616ea) },
	{ UINT64_C(0xc694ead97b0a7cf1), UINT64_C(0xbfe30f6f89772032), UINT64_C(0x3fd04127e7a7fd3d) },
	{ UINT64_C(0x521db83a862f96dc), UINT64_C(0x3fed629dd59ee5d0), UINT64_C(0x3ff2315475c744d8) },
	{ UINT64_C(0x8817b96227b7227d), UINT64_C(0xbffdb8c850dae7c6), UINT64_C(0x3fe4380b67859983) },
};

static bool is_double(const uint8_t *place, uint64_t expected)
{
	uint64_t bits;

	memcpy(&bits, place, sizeof(bits));
	return bits == expected;
}

int cprng_numbers_selftest(const struct cprng_numbers_backend *backend)
{
	enum { COUNT = CPRNG_ARRAY_SIZE(answers) };
	uint8_t normals[8 * COUNT], exponentials[8 * COUNT];

	for (size_t i = 0; i < COUNT; i++) {
		cprng_store_le64(normals + 8 * i, answers[i].bits);
		cprng_store_le64(exponentials + 8 * i, answers[i].bits);
	}
	backend->normals(normals, COUNT, 0, 1);
	backend->exponentials(exponentials, COUNT, 1);
	for (size_t i = 0; i < COUNT; i++) {
		const double normal = cprng_number_normal(answers[i].bits, 0, 1);
		const double exponential = cprng_number_exponential(answers[i].bits, 1);

		if (!is_double(normals + 8 * i, answers[i].normal) ||
		    !is_double(exponentials + 8 * i, answers[i].exponential) ||
		    !is_double((const uint8_t *)&normal, answers[i].normal) ||
		    !is_double((const uint8_t *)&exponential, answers[i].exponential))
			return (int)i + 1;
	}
	return 0;
}

bool cprng_numbers_usable(const struct cprng_numbers_backend *backend)
{
	return (backend->needs & ~cprng_cpu_features()) == 0;
}

const struct cprng_numbers_backend *cprng_numbers_select(void)
{
	/* Of each backend: 1 after a pass, 2 after a failure.  Each thread that finds 0 comes to the same verdict. */
	static uint8_t verdict[CPRNG_ARRAY_SIZE(cprng_numbers_backends)];

	for (const struct cprng_numbers_backend *b = cprng_numbers_backends; b->name != NULL; b++) {
		uint8_t *const v = &verdict[b - cprng_numbers_backends];
		uint8_t found = __atomic_load_n(v, __ATOMIC_RELAXED);

		if (!cprng_numbers_usable(b))
			continue;
		if (CPRNG_UNLIKELY(found == 0)) {
			found = cprng_numbers_selftest(b) == 0 ? 1 : 2;
			__atomic_store_n(v, found, __ATOMIC_RELAXED);
		}
		if (CPRNG_LIKELY(found == 1))
			return b;
	}
	return NULL;
}
