/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/aesctr/aesctr.h"

#if defined(__x86_64__)

#include "engine/aesctr/aesctr_x86.h"
#include "cpu/target.h"

#define AES_V __m128i
#define AES_LANES 1
#define AES_V_KEY(p) _mm_load_si128((const __m128i *)(p))
#define AES_V_COUNTER(hi, lo) AES_X86_COUNTER(hi, lo)
#define AES_V_LOW(n) _mm_set_epi64x(0, n)
#define AES_V_ADD(a, b) _mm_add_epi64(a, b)
#define AES_V_REGISTER "x"
#define AES_V_ORDER() AES_X86_REVERSE
#define AES_V_BLOCKS(v, order) _mm_shuffle_epi8(v, order)
#define AES_V_FIRST(s, k0) _mm_xor_si128(s, k0)
#define AES_V_ROUND(s, prev, k) _mm_aesenc_si128(s, k)
#define AES_V_LAST(s, prev, k) _mm_aesenclast_si128(s, k)
#define AES_V_STORE(p, v) _mm_storeu_si128((__m128i *)(p), v)
#define AES_V_STORE_PART(p, v, n) ((void)(p))
#define AES_V_HOLDS_KEYS 0
#define AES_V_STREAM(p, v) _mm_stream_si128((__m128i *)(p), v)

CPRNG_TARGET_BEGIN("aes,sse4.1")

#include "engine/aesctr/aesctr_schedule.h"
#include "engine/aesctr/aesctr_vector.h"

void cprng_aesctr_aesni_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	aes_expand(ks, key, key_size);
}

void cprng_aesctr_aesni_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				  unsigned int flags)
{
	aes_keystream(ks, rounds, out, nblocks, flags);
}

CPRNG_TARGET_END

#endif
