/* SPDX-License-Identifier: BSD-2-Clause */
/* Vectors of 8 words for engine/vector/lanes.h, which says what each macro means: AVX2. */
#include "core/port.h"
#include "cpu/target.h"

#define CPRNG_V_BEGIN CPRNG_TARGET_BEGIN("avx2")
#define CPRNG_V_END CPRNG_TARGET_END

#define CPRNG_V_LANES 8
#define CPRNG_V_ALIGN 32
#define CPRNG_V_REGISTER "x"

typedef __m256i cprng_v;

#define CPRNG_V_SET1(w) _mm256_set1_epi32((int)(w))
#define CPRNG_V_INDEX() _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)
#define CPRNG_V_ADD(a, b) _mm256_add_epi32(a, b)
#define CPRNG_V_XOR(a, b) _mm256_xor_si256(a, b)

/* Rotation by whole bytes is a shuffle: one operation for three. */
#define CPRNG_V_ROTATE(a, n) \
	((n) == 16 ? _mm256_shuffle_epi8(a, CPRNG_V_BYTES(0x0d0c0f0e09080b0a, 0x0504070601000302)) : \
	 (n) == 8  ? _mm256_shuffle_epi8(a, CPRNG_V_BYTES(0x0e0d0c0f0a09080b, 0x0605040702010003)) : \
		     _mm256_or_si256(_mm256_slli_epi32(a, n), _mm256_srli_epi32(a, 32 - (n))))
#define CPRNG_V_BYTES(high, low) _mm256_set_epi64x(high, low, high, low)

#define CPRNG_V_LOW32(a, b) _mm256_unpacklo_epi32(a, b)
#define CPRNG_V_HIGH32(a, b) _mm256_unpackhi_epi32(a, b)
#define CPRNG_V_LOW64(a, b) _mm256_unpacklo_epi64(a, b)
#define CPRNG_V_HIGH64(a, b) _mm256_unpackhi_epi64(a, b)

#define CPRNG_V_FENCE() _mm_sfence()

CPRNG_V_BEGIN

CPRNG_INLINE void cprng_v_put_block(uint8_t *out, size_t block, size_t count, bool stream, cprng_v low, cprng_v high)
{
	__m256i *p = (__m256i *)(void *)(out + 64 * block);

	if (block >= count)
		return;
	if (stream) {
		_mm256_stream_si256(p, low);
		_mm256_stream_si256(p + 1, high);
	} else {
		_mm256_storeu_si256(p, low);
		_mm256_storeu_si256(p + 1, high);
	}
}

CPRNG_INLINE void cprng_v_put(uint8_t *out, size_t column, size_t count, bool stream, cprng_v a, cprng_v b, cprng_v c,
			      cprng_v d)
{
	cprng_v_put_block(out, column, count, stream, _mm256_permute2x128_si256(a, b, 0x20),
			  _mm256_permute2x128_si256(c, d, 0x20));
	cprng_v_put_block(out, column + 4, count, stream, _mm256_permute2x128_si256(a, b, 0x31),
			  _mm256_permute2x128_si256(c, d, 0x31));
}

CPRNG_V_END
