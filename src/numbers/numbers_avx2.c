/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/target.h"

#if defined(__x86_64__)

#define CPRNG_N_BEGIN CPRNG_TARGET_BEGIN("avx2")
#define CPRNG_N_END CPRNG_TARGET_END

#define CPRNG_N_LANES 4
#include "numbers/arithmetic.h"

CPRNG_N_BEGIN

/* Store the lanes of x whose bits are set in mask, one behind the other; and others behind them, up to the whole vector. */
CPRNG_INLINE void n_store_lanes(uint64_t to[4], n_bits x, unsigned int mask)
{
	/* For each mask the halves of these lanes, one in each byte. */
	static const uint64_t halves[16] = {
		0,          0x0100,         0x0302,         0x03020100,         0x0504,     0x05040100,
		0x05040302, 0x050403020100, 0x0706,         0x07060100,         0x07060302, 0x070603020100,
		0x07060504, 0x070605040100, 0x070605040302, 0x0706050403020100,
	};
	const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&halves[mask]));

	_mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32((__m256i)x, order));
}

CPRNG_N_END

#define CPRNG_N_NAME(function) cprng_numbers_##function##_avx2
#define CPRNG_N_SIGNS(x) ((unsigned int)_mm256_movemask_pd((__m256d)(x)))
#define CPRNG_N_MINIMUM(x, y) ((n_double)_mm256_min_pd((__m256d)(x), (__m256d)(y)))
#define CPRNG_N_MULTIPLY(a, b) ((n_bits)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#include "numbers/fills.h"

#endif
