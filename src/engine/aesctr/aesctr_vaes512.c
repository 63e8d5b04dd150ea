/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/aesctr/aesctr.h"

#if defined(__x86_64__)

#include "engine/aesctr/aesctr_x86.h"
#include "cpu/target.h"

#define AES_V __m512i
#define AES_LANES 4
#define AES_V_KEY(p) _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(p)))
#define AES_V_COUNTER(hi, lo) \
	_mm512_add_epi64(_mm512_broadcast_i32x4(AES_X86_COUNTER(hi, lo)), _mm512_set_epi64(0, 3, 0, 2, 0, 1, 0, 0))
#define AES_V_LOW(n) _mm512_set_epi64(0, n, 0, n, 0, n, 0, n)
#define AES_V_ADD(a, b) _mm512_add_epi64(a, b)
#define AES_V_REGISTER "v"
#define AES_V_ORDER() _mm512_broadcast_i32x4(AES_X86_REVERSE)
#define AES_V_BLOCKS(v, order) _mm512_shuffle_epi8(v, order)
#define AES_V_FIRST(s, k0) _mm512_xor_si512(s, k0)
#define AES_V_ROUND(s, prev, k) _mm512_aesenc_epi128(s, k)
#define AES_V_LAST(s, prev, k) _mm512_aesenclast_epi128(s, k)
#define AES_V_STORE(p, v) _mm512_storeu_si512(p, v)
#define AES_V_STORE_PART(p, v, n) aes_store_part(p, v, n)
#define AES_V_HOLDS_KEYS 1
#define AES_V_STREAM(p, v) _mm512_stream_si512((__m512i *)(p), v)

CPRNG_TARGET_BEGIN("avx512f,avx512bw,avx512vl,aes,vaes")

/* Not a masked store: those do not forward to loads, and the end of a request is often the next key. */
CPRNG_INLINE void aes_store_part(uint8_t *out, __m512i v, unsigned int n)
{
	if (n & 2) {
		_mm256_storeu_si256((__m256i *)out, _mm512_castsi512_si256(v));
		v = _mm512_shuffle_i64x2(v, v, 0xee);
		out += 32;
	}
	if (n & 1)
		_mm_storeu_si128((__m128i *)out, _mm512_castsi512_si128(v));
}

#include "engine/aesctr/aesctr_schedule.h"
#include "engine/aesctr/aesctr_vector.h"

void cprng_aesctr_vaes512_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	aes_expand(ks, key, key_size);
}

void cprng_aesctr_vaes512_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				    unsigned int flags)
{
	aes_keystream(ks, rounds, out, nblocks, flags);
}

CPRNG_TARGET_END

#endif
