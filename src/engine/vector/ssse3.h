/* SPDX-License-Identifier: BSD-2-Clause */
/* SSE2's vectors with the byte shuffle of SSSE3, for rotation by whole bytes: one operation for three. */
#include "engine/vector/sse2.h"

#undef CPRNG_V_BEGIN
#define CPRNG_V_BEGIN CPRNG_TARGET_BEGIN("ssse3")

#undef CPRNG_V_ROTATE
#define CPRNG_V_ROTATE(a, n) \
	((n) == 16 ? _mm_shuffle_epi8(a, _mm_set_epi64x(0x0d0c0f0e09080b0a, 0x0504070601000302)) : \
	 (n) == 8  ? _mm_shuffle_epi8(a, _mm_set_epi64x(0x0e0d0c0f0a09080b, 0x0605040702010003)) : \
		     _mm_or_si128(_mm_slli_epi32(a, n), _mm_srli_epi32(a, 32 - (n))))
