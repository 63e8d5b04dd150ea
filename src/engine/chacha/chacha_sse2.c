/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/chacha/chacha.h"

#if defined(__x86_64__)

#include "engine/vector/sse2.h"

#define CPRNG_LANES_KEYSTREAM cprng_chacha_sse2
#include "engine/chacha/chacha_vector.h"

#endif
