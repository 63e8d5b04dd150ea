/* SPDX-License-Identifier: BSD-2-Clause */
/* The keystream functions of Salsa20's vector backends; engine.h has the contract. */
#ifndef CPRNG_ENGINE_SALSA20_SALSA20_H
#define CPRNG_ENGINE_SALSA20_SALSA20_H

#include "engine/engine.h"

void cprng_salsa20_sse2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			unsigned int flags);
void cprng_salsa20_avx2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			unsigned int flags);
void cprng_salsa20_avx512(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			  unsigned int flags);
void cprng_salsa20_neon(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			unsigned int flags);

#endif
