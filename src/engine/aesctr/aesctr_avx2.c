/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/aesctr/aesctr.h"

#if defined(__x86_64__)

#include "cpu/target.h"

typedef uint64_t aes_plane __attribute__((vector_size(32)));

#define AES_PLANE aes_plane
#define AES_PLANE_SHUFFLE(x, p) ((aes_plane)_mm256_shuffle_epi8((__m256i)(x), (__m256i)AES_PLANE_LOAD16(p)))
#define AES_PLANE_LOAD16(p) ((aes_plane)_mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(const void *)(p))))
#define AES_PLANE_LOAD(p) ((aes_plane)_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define AES_PLANE_STORE(p, x) _mm256_storeu_si256((__m256i *)(void *)(p), (__m256i)(x))

CPRNG_TARGET_BEGIN("avx2")

#include "engine/aesctr/aesctr_sliced.h"

void cprng_aesctr_avx2_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	cprng_aesctr_portable_set_key(ks, key, key_size);
}

void cprng_aesctr_avx2_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				 unsigned int flags)
{
	(void)flags;
	sliced_keystream(ks, rounds, out, nblocks);
}

CPRNG_TARGET_END

#endif
