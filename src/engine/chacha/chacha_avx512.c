/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/chacha/chacha.h"

#if defined(__x86_64__) && !defined(CPRNG_SMALL_STACK)

#include "engine/vector/avx512.h"

#define CPRNG_LANES_KEYSTREAM cprng_chacha_avx512
#include "engine/chacha/chacha_vector.h"

#endif
