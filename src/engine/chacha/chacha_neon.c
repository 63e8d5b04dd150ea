/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/chacha/chacha.h"

#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#include "engine/vector/neon.h"

#define CPRNG_LANES_KEYSTREAM cprng_chacha_neon
#include "engine/chacha/chacha_vector.h"

#endif
