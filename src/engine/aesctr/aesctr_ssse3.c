/* SPDX-License-Identifier: BSD-2-Clause */
#include "engine/aesctr/aesctr.h"

#if defined(__x86_64__)

#include "cpu/target.h"

typedef uint64_t aes_plane __attribute__((vector_size(16)));

#define AES_PLANE aes_plane
#define AES_PLANE_SHUFFLE(x, p) ((aes_plane)_mm_shuffle_epi8((__m128i)(x), (__m128i)AES_PLANE_LOAD16(p)))
#define AES_PLANE_LOAD16(p) ((aes_plane)_mm_load_si128((const __m128i *)(const void *)(p)))
#define AES_PLANE_LOAD(p) ((aes_plane)_mm_loadu_si128((const __m128i *)(const void *)(p)))
#define AES_PLANE_STORE(p, x) _mm_storeu_si128((__m128i *)(void *)(p), (__m128i)(x))

CPRNG_TARGET_BEGIN("ssse3")

#include "engine/aesctr/aesctr_sliced.h"

void cprng_aesctr_ssse3_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size)
{
	cprng_aesctr_portable_set_key(ks, key, key_size);
}

void cprng_aesctr_ssse3_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
				  unsigned int flags)
{
	(void)flags;
	sliced_keystream(ks, rounds, out, nblocks);
}

CPRNG_TARGET_END

#endif
