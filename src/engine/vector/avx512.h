/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of 16 words for engine/vector/lanes.h, which says what each macro means: AVX-512 F. */
#include "core/port.h"
#include "cpu/target.h"

#define CPRNG_V_BEGIN CPRNG_TARGET_BEGIN("avx512f")
#define CPRNG_V_END CPRNG_TARGET_END

#define CPRNG_V_LANES 16
#define CPRNG_V_ALIGN 64
#define CPRNG_V_REGISTER "v"

typedef __m512i cprng_v;

#define CPRNG_V_SET1(w) _mm512_set1_epi32((int)(w))
#define CPRNG_V_INDEX() _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
#define CPRNG_V_ADD(a, b) _mm512_add_epi32(a, b)
#define CPRNG_V_XOR(a, b) _mm512_xor_si512(a, b)
#define CPRNG_V_ROTATE(a, n) _mm512_rol_epi32(a, n)

#define CPRNG_V_LOW32(a, b) _mm512_unpacklo_epi32(a, b)
#define CPRNG_V_HIGH32(a, b) _mm512_unpackhi_epi32(a, b)
#define CPRNG_V_LOW64(a, b) _mm512_unpacklo_epi64(a, b)
#define CPRNG_V_HIGH64(a, b) _mm512_unpackhi_epi64(a, b)

#define CPRNG_V_FENCE() _mm_sfence()

CPRNG_V_BEGIN

CPRNG_INLINE void cprng_v_put_block(uint8_t *out, size_t block, size_t count, bool stream, cprng_v v)
{
	void *p = out + 64 * block;

	if (block >= count)
		return;
	if (stream)
		_mm512_stream_si512(p, v);
	else
		_mm512_storeu_si512(p, v);
}

CPRNG_INLINE void cprng_v_put(uint8_t *out, size_t column, size_t count, bool stream, cprng_v a, cprng_v b, cprng_v c,
			      cprng_v d)
{
	const cprng_v ab_low = _mm512_shuffle_i32x4(a, b, 0x44), ab_high = _mm512_shuffle_i32x4(a, b, 0xee);
	const cprng_v cd_low = _mm512_shuffle_i32x4(c, d, 0x44), cd_high = _mm512_shuffle_i32x4(c, d, 0xee);

	cprng_v_put_block(out, column, count, stream, _mm512_shuffle_i32x4(ab_low, cd_low, 0x88));
	cprng_v_put_block(out, column + 4, count, stream, _mm512_shuffle_i32x4(ab_low, cd_low, 0xdd));
	cprng_v_put_block(out, column + 8, count, stream, _mm512_shuffle_i32x4(ab_high, cd_high, 0x88));
	cprng_v_put_block(out, column + 12, count, stream, _mm512_shuffle_i32x4(ab_high, cd_high, 0xdd));
}

CPRNG_V_END
