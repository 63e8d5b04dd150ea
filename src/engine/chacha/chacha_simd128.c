/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/chacha/chacha.h"

#if defined(__wasm_simd128__)

#include "engine/vector/simd128.h"

#define CPRNG_LANES_KEYSTREAM cprng_chacha_simd128
#include "engine/chacha/chacha_vector.h"

#endif
