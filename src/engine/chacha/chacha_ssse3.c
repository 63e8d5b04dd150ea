/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/chacha/chacha.h"

#if defined(__x86_64__)

#include "engine/vector/ssse3.h"

#define CPRNG_LANES_KEYSTREAM cprng_chacha_ssse3
#include "engine/chacha/chacha_vector.h"

#endif
