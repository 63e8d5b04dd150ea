/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/salsa20/salsa20.h"

#if defined(__wasm_simd128__)

#include "engine/vector/simd128.h"

#define CPRNG_LANES_KEYSTREAM cprng_salsa20_simd128
#include "engine/salsa20/salsa20_vector.h"

#endif
