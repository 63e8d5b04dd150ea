/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/salsa20/salsa20.h"

#if defined(__x86_64__)

#include "engine/vector/sse2.h"

#define CPRNG_LANES_KEYSTREAM cprng_salsa20_sse2
#include "engine/salsa20/salsa20_vector.h"

#endif
