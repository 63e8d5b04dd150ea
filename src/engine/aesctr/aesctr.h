/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of the AES-CTR backends; their contract is in engine.h. */
#ifndef CPRNG_ENGINE_AESCTR_AESCTR_H
#define CPRNG_ENGINE_AESCTR_AESCTR_H

#include "core/uint128.h"
#include "engine/engine.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	CPRNG_AES_BLOCK = 16,
	CPRNG_AES128_ROUNDS = 10,
	CPRNG_AES256_ROUNDS = 14,
};

#define CPRNG_AESCTR_BACKEND(name) \
	void cprng_aesctr_##name##_set_key(struct cprng_keystate *ks, const uint8_t *key, size_t key_size); \
	void cprng_aesctr_##name##_keystream(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, \
					     size_t nblocks, unsigned int flags)

CPRNG_AESCTR_BACKEND(portable);
CPRNG_AESCTR_BACKEND(aesni);
CPRNG_AESCTR_BACKEND(vaes256);
CPRNG_AESCTR_BACKEND(vaes512);
CPRNG_AESCTR_BACKEND(armv8);
CPRNG_AESCTR_BACKEND(avx2);
CPRNG_AESCTR_BACKEND(ssse3);

#undef CPRNG_AESCTR_BACKEND

/* Advance the 128-bit counter of ks by n. */
CPRNG_INLINE void cprng_aesctr_advance(struct cprng_keystate *ks, uint64_t n)
{
	const struct cprng_uint128 counter =
		cprng_uint128_add64((struct cprng_uint128){ ks->counter_hi, ks->counter_lo }, n);

	ks->counter_hi = counter.hi;
	ks->counter_lo = counter.lo;
}

CPRNG_END_DECLARATIONS

#endif
