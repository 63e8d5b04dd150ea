/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/target.h"

#if defined(__x86_64__)

#define CPRNG_N_BEGIN CPRNG_TARGET_BEGIN("avx2")
#define CPRNG_N_END CPRNG_TARGET_END

#define CPRNG_N_LANES 4
#include "numbers/arithmetic.h"

#define CPRNG_N_NAME(function) cprng_numbers_##function##_avx2
#define CPRNG_N_MULTIPLY(a, b) ((n_bits)_mm256_mul_epu32((__m256i)(a), (__m256i)(b)))
#include "numbers/fills.h"

#endif
