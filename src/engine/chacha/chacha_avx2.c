/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/chacha/chacha.h"

#if defined(__x86_64__)

#include "engine/vector/avx2.h"

#define CPRNG_LANES_KEYSTREAM cprng_chacha_avx2
#include "engine/chacha/chacha_vector.h"

#endif
