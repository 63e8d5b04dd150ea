/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of 4 words for engine/vector/lanes.h, which says what each macro means: SSE2, the baseline of x86-64. */
#include "core/port.h"
#include "cpu/target.h"

#define CPRNG_V_BEGIN CPRNG_TARGET_BEGIN("sse2")
#define CPRNG_V_END CPRNG_TARGET_END

#define CPRNG_V_LANES 4
#define CPRNG_V_ALIGN 16
#define CPRNG_V_REGISTER "x"

typedef __m128i cprng_v;

#define CPRNG_V_SET1(w) _mm_set1_epi32((int)(w))
#define CPRNG_V_INDEX() _mm_setr_epi32(0, 1, 2, 3)
#define CPRNG_V_ADD(a, b) _mm_add_epi32(a, b)
#define CPRNG_V_XOR(a, b) _mm_xor_si128(a, b)
#define CPRNG_V_ROTATE(a, n) \
	((n) == 16 ? _mm_shufflehi_epi16(_mm_shufflelo_epi16(a, 0xb1), 0xb1) : \
		     _mm_or_si128(_mm_slli_epi32(a, n), _mm_srli_epi32(a, 32 - (n))))

#define CPRNG_V_LOW32(a, b) _mm_unpacklo_epi32(a, b)
#define CPRNG_V_HIGH32(a, b) _mm_unpackhi_epi32(a, b)
#define CPRNG_V_LOW64(a, b) _mm_unpacklo_epi64(a, b)
#define CPRNG_V_HIGH64(a, b) _mm_unpackhi_epi64(a, b)

#define CPRNG_V_FENCE() _mm_sfence()

CPRNG_V_BEGIN

CPRNG_INLINE void cprng_v_put(uint8_t *out, size_t column, size_t count, bool stream, cprng_v a, cprng_v b, cprng_v c,
			      cprng_v d)
{
	__m128i *p = (__m128i *)(void *)(out + 64 * column);

	if (column >= count)
		return;
	if (stream) {
		_mm_stream_si128(p, a);
		_mm_stream_si128(p + 1, b);
		_mm_stream_si128(p + 2, c);
		_mm_stream_si128(p + 3, d);
	} else {
		_mm_storeu_si128(p, a);
		_mm_storeu_si128(p + 1, b);
		_mm_storeu_si128(p + 2, c);
		_mm_storeu_si128(p + 3, d);
	}
}

CPRNG_V_END
