/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by Salsa20's backends: the quarter round on words, and the functions of the vector backends (engine.h). */
#ifndef CPRNG_ENGINE_SALSA20_SALSA20_H
#define CPRNG_ENGINE_SALSA20_SALSA20_H

#include "engine/engine.h"

CPRNG_BEGIN_DECLARATIONS

CPRNG_INLINE uint32_t cprng_salsa20_rotate(uint32_t x, unsigned int n)
{
	return x << n | x >> (32 - n);
}

/* The specification's section 3 */
CPRNG_INLINE void cprng_salsa20_quarter(uint32_t y[16], unsigned int i0, unsigned int i1, unsigned int i2,
					unsigned int i3)
{
	y[i1] ^= cprng_salsa20_rotate(y[i0] + y[i3], 7);
	y[i2] ^= cprng_salsa20_rotate(y[i1] + y[i0], 9);
	y[i3] ^= cprng_salsa20_rotate(y[i2] + y[i1], 13);
	y[i0] ^= cprng_salsa20_rotate(y[i3] + y[i2], 18);
}

void cprng_salsa20_sse2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			unsigned int flags);
void cprng_salsa20_avx2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			unsigned int flags);
void cprng_salsa20_avx512(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			  unsigned int flags);
void cprng_salsa20_neon(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			unsigned int flags);
void cprng_salsa20_simd128(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			   unsigned int flags);

CPRNG_END_DECLARATIONS

#endif
