/* SPDX-License-Identifier: BSD-2-Clause */
/* Two lanes: the compiler makes SSE2, NEON or scalar code. */
#include "numbers/scalar.h"

/* On machines without vectors gcc warns about how functions would pass them; all functions here are inlined. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpsabi"

#define CPRNG_N_LANES 2
#include "numbers/arithmetic.h"

#define CPRNG_N_NAME(function) cprng_numbers_##function##_lanes2
#ifdef __x86_64__
#define CPRNG_N_SIGNS(x) ((unsigned int)_mm_movemask_pd((__m128d)(x)))
#define CPRNG_N_MINIMUM(x, y) ((n_double)_mm_min_pd((__m128d)(x), (__m128d)(y)))
#define CPRNG_N_MULTIPLY(a, b) ((n_bits)_mm_mul_epu32((__m128i)(a), (__m128i)(b)))
#endif
#include "numbers/fills.h"

#pragma GCC diagnostic pop
