/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of any length from keystream blocks: whole blocks, then a tail. */
#ifndef CPRNG_ENGINE_EXPAND_H
#define CPRNG_ENGINE_EXPAND_H

#include "core/bytes.h"
#include "engine/engine.h"

/*
 * Write len bytes of keystream to out, the whole blocks in one call; flags are those of keystream().  If len is not a multiple of
 * the block size, last[CPRNG_BLOCK_SIZE_MAX] holds the tail's block afterwards: the caller keeps it or wipes it.
 */
CPRNG_INLINE void cprng_expand(struct cprng_keystate *ks, const struct cprng_engine *engine,
			       const struct cprng_backend *backend, uint8_t *out, size_t len, uint8_t *last,
			       unsigned int flags)
{
	const size_t whole = len / engine->block_size, tail = len % engine->block_size;

	if (whole != 0)
		backend->keystream(ks, engine->rounds, out, whole, flags);
	if (tail != 0) {
		backend->keystream(ks, engine->rounds, last, 1, 0);
		memcpy(out + whole * engine->block_size, last, tail);
	}
}

/*
 * A keystream position: the nonce (for AES the first half of the counter block), and the number of the first block.  Requests at
 * positions with different nonces have no block in common.  With the same nonce, two requests overlap if the numbers of their
 * first blocks are less than their lengths apart.
 */
struct cprng_position {
	uint64_t nonce, block;
};

/* Set up a one-time key of 32 bytes at a position.  The key is used once, so every position is safe. */
CPRNG_INLINE void cprng_expand_key_at(struct cprng_keystate *ks, const struct cprng_engine *engine,
				      const struct cprng_backend *backend, const uint8_t *key,
				      struct cprng_position position)
{
	uint8_t nonce[CPRNG_NONCE_SIZE_MAX] = { 0 };

	cprng_store_le64(nonce, position.nonce);
	backend->set_key(ks, key, 32);
	engine->family->set_position(ks, nonce, engine->nonce_sizes[0], position.block);
}

CPRNG_INLINE void cprng_expand_key(struct cprng_keystate *ks, const struct cprng_engine *engine,
				   const struct cprng_backend *backend, const uint8_t *key)
{
	cprng_expand_key_at(ks, engine, backend, key, (struct cprng_position){ 0, 0 });
}

#endif
