/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/salsa20/salsa20.h"

#if defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

#include "engine/vector/neon.h"

#define CPRNG_LANES_KEYSTREAM cprng_salsa20_neon
#include "engine/salsa20/salsa20_vector.h"

#endif
