/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by ChaCha's backends: the quarter round on words, and the functions of the vector backends (engine.h). */
#ifndef CPRNG_ENGINE_CHACHA_CHACHA_H
#define CPRNG_ENGINE_CHACHA_CHACHA_H

#include "engine/engine.h"

CPRNG_BEGIN_DECLARATIONS

CPRNG_INLINE uint32_t cprng_chacha_rotate(uint32_t x, unsigned int n)
{
	return x << n | x >> (32 - n);
}

/* RFC 8439, 2.1 */
CPRNG_INLINE void cprng_chacha_quarter(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
	*a += *b;
	*d = cprng_chacha_rotate(*d ^ *a, 16);
	*c += *d;
	*b = cprng_chacha_rotate(*b ^ *c, 12);
	*a += *b;
	*d = cprng_chacha_rotate(*d ^ *a, 8);
	*c += *d;
	*b = cprng_chacha_rotate(*b ^ *c, 7);
}

void cprng_chacha_sse2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
		       unsigned int flags);
void cprng_chacha_ssse3(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			unsigned int flags);
void cprng_chacha_avx2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
		       unsigned int flags);
void cprng_chacha_avx512(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			 unsigned int flags);
void cprng_chacha_neon(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
		       unsigned int flags);
void cprng_chacha_simd128(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			  unsigned int flags);

CPRNG_END_DECLARATIONS

#endif
