/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/salsa20/salsa20.h"

#if defined(__x86_64__) && !defined(CPRNG_SMALL_STACK)

#include "engine/vector/avx512.h"

#define CPRNG_LANES_KEYSTREAM cprng_salsa20_avx512
#include "engine/salsa20/salsa20_vector.h"

#endif
