/* SPDX-License-Identifier: BSD-2-Clause */
/* The keystream functions of ChaCha's vector backends; engine.h has the contract. */
#ifndef CPRNG_ENGINE_CHACHA_CHACHA_H
#define CPRNG_ENGINE_CHACHA_CHACHA_H

#include "engine/engine.h"

void cprng_chacha_sse2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
		       unsigned int flags);
void cprng_chacha_avx2(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
		       unsigned int flags);
void cprng_chacha_avx512(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			 unsigned int flags);
void cprng_chacha_neon(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
		       unsigned int flags);

#endif
