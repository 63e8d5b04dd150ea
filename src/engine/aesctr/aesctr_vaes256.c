/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/aesctr/aesctr.h"

#if defined(__x86_64__)

#include "engine/aesctr/aesctr_x86.h"
#include "cpu/target.h"

#define AES_V __m256i
#define AES_LANES 2
#define AES_V_KEY(p) _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(p)))
#define AES_V_COUNTER(hi, lo) \
	_mm256_add_epi64(_mm256_broadcastsi128_si256(AES_X86_COUNTER(hi, lo)), _mm256_set_epi64x(0, 1, 0, 0))
#define AES_V_LOW(n) _mm256_set_epi64x(0, n, 0, n)
#define AES_V_ADD(a, b) _mm256_add_epi64(a, b)
#define AES_V_REGISTER "x"
#define AES_V_ORDER() _mm256_broadcastsi128_si256(AES_X86_REVERSE)
#define AES_V_BLOCKS(v, order) _mm256_shuffle_epi8(v, order)
#define AES_V_FIRST(s, k0) _mm256_xor_si256(s, k0)
#define AES_V_ROUND(s, prev, k) _mm256_aesenc_epi128(s, k)
#define AES_V_LAST(s, prev, k) _mm256_aesenclast_epi128(s, k)
#define AES_V_STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)
#define AES_V_STORE_PART(p, v, n) _mm_storeu_si128((__m128i *)(p), _mm256_castsi256_si128(v))
#define AES_V_HOLDS_KEYS 0
#define AES_V_STREAM(p, v) _mm256_stream_si256((__m256i *)(p), v)

CPRNG_TARGET_BEGIN("avx2,aes,vaes")

#include "engine/aesctr/aesctr_schedule.h"
#include "engine/aesctr/aesctr_vector.h"

void cprng_aesctr_vaes256_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	aes_expand(ks, key, key_size);
}

void cprng_aesctr_vaes256_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				    unsigned int flags)
{
	aes_keystream(ks, rounds, out, nblocks, flags);
}

CPRNG_TARGET_END

#endif
