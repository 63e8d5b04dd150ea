/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of any length from a keystream that comes in blocks: whole blocks, then a tail. */
#ifndef CPRNG_ENGINE_EXPAND_H
#define CPRNG_ENGINE_EXPAND_H

#include "core/bytes.h"
#include "engine/engine.h"

/*
 * Write len bytes of keystream to out, the whole blocks in one call; flags as of keystream().  If len is no multiple of the
 * block size, the block that the tail comes from is left in last[CPRNG_BLOCK_SIZE_MAX]: the caller keeps it, or wipes it.
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
 * Where a keystream starts: the nonce of ChaCha and Salsa20, or the first half of AES's counter block; and the number of the
 * first block.  Starts with different nonces have no block in common.  With one nonce two requests have some in common, shifted
 * against each other, if the numbers of their first blocks are less than their lengths apart.
 */
struct cprng_start {
	uint64_t nonce, block;
};

/* Expand a key of 32 bytes that is used once, so that any start is as good as another. */
CPRNG_INLINE void cprng_expand_start_at(struct cprng_keystate *ks, const struct cprng_engine *engine,
					const struct cprng_backend *backend, const uint8_t *key,
					struct cprng_start start)
{
	uint8_t nonce[CPRNG_NONCE_SIZE_MAX] = { 0 };

	cprng_store_le64(nonce, start.nonce);
	backend->set_key(ks, key, 32);
	engine->family->set_position(ks, nonce, engine->nonce_sizes[0], start.block);
}

CPRNG_INLINE void cprng_expand_start(struct cprng_keystate *ks, const struct cprng_engine *engine,
				     const struct cprng_backend *backend, const uint8_t *key)
{
	cprng_expand_start_at(ks, engine, backend, key, (struct cprng_start){ 0, 0 });
}

#endif
