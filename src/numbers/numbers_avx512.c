/* SPDX-License-Identifier: BSD-2-Clause */
#include "cpu/target.h"

#if defined(__x86_64__)

#define CPRNG_N_BEGIN CPRNG_TARGET_BEGIN("avx512f,avx512dq,avx512vl")
#define CPRNG_N_END CPRNG_TARGET_END

#define CPRNG_N_LANES 8
#include "numbers/arithmetic.h"

#define CPRNG_N_NAME(function) cprng_numbers_##function##_avx512
#define CPRNG_N_SIGNS(x) ((unsigned int)_mm512_movepi64_mask((__m512i)(x)))
#define CPRNG_N_MULTIPLY(a, b) ((n_bits)_mm512_mul_epu32((__m512i)(a), (__m512i)(b)))
#include "numbers/fills.h"

#endif
