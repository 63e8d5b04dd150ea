/* SPDX-License-Identifier: BSD-2-Clause */
/* What ChaCha's backends share: the quarter round on words, and the functions of the vector backends (engine.h). */
#ifndef CPRNG_ENGINE_CHACHA_CHACHA_H
#define CPRNG_ENGINE_CHACHA_CHACHA_H

#include "engine/engine.h"

CPRNG_BEGIN_DECLARATIONS

CPRNG_INLINE uint32_t cprng_chacha_rotate(uint32_t x, unsigned int n)
{
	return x << n | x >> (32 - n);
}

/* RFC 8439, 2.1 */
CPRNG_INLINE void cprng_chacha_quarter(uint32_t x[16], unsigned int a, unsigned int b, unsigned int c, unsigned int d)
{
	x[a] += x[b];
	x[d] = cprng_chacha_rotate(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = cprng_chacha_rotate(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = cprng_chacha_rotate(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = cprng_chacha_rotate(x[b] ^ x[c], 7);
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

CPRNG_END_DECLARATIONS

#endif
