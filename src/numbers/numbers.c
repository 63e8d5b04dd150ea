/* SPDX-License-Identifier: BSD-2-Clause */
#include "numbers/numbers.h"

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

CPRNG_CLEARS double cprng_number_normal(uint64_t bits, double mu, double sigma)
{
	return standard_normal(bits | 1) * sigma + mu;
}

CPRNG_CLEARS double cprng_number_exponential(uint64_t bits, double mean)
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

const struct cprng_numbers_backend *cprng_numbers_select(void)
{
	const struct cprng_numbers_backend *backend = cprng_numbers_backends;

	while ((backend->needs & ~cprng_cpu_features()) != 0)
		backend++;
	return backend;
}
