/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests of any length from a keystream that comes in blocks: whole blocks, then a tail. */
#ifndef CPRNG_ENGINE_EXPAND_H
#define CPRNG_ENGINE_EXPAND_H

#include "engine/engine.h"

/* Writes nblocks blocks of keystream, at least one, to out; flags as of keystream(). */
typedef void cprng_block_source(void *arg, uint8_t *out, size_t nblocks, unsigned int flags);

/*
 * Write len bytes from source(arg) to out, the whole blocks in one call.  If len is no multiple of block_size, the block
 * that the tail comes from is left in last[CPRNG_BLOCK_SIZE_MAX]: the caller keeps it, or wipes it.
 */
CPRNG_INLINE void cprng_expand_blocks(cprng_block_source *source, void *arg, size_t block_size, uint8_t *out,
				      size_t len, uint8_t *last, unsigned int flags)
{
	const size_t whole = len / block_size, tail = len % block_size;

	if (whole != 0)
		source(arg, out, whole, flags);
	if (tail != 0) {
		source(arg, last, 1, 0);
		memcpy(out + whole * block_size, last, tail);
	}
}

struct cprng_expansion {
	struct cprng_keystate *ks;
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
};

CPRNG_INLINE void cprng_expansion_blocks(void *arg, uint8_t *out, size_t nblocks, unsigned int flags)
{
	const struct cprng_expansion *const e = (const struct cprng_expansion *)arg;

	e->backend->keystream(e->ks, e->engine->rounds, out, nblocks, flags);
}

/* The same from an expanded key, which steps by the blocks that were written. */
CPRNG_INLINE void cprng_expand(struct cprng_keystate *ks, const struct cprng_engine *engine,
			       const struct cprng_backend *backend, uint8_t *out, size_t len, uint8_t *last,
			       unsigned int flags)
{
	struct cprng_expansion e = { ks, engine, backend };

	cprng_expand_blocks(cprng_expansion_blocks, &e, engine->block_size, out, len, last, flags);
}

/* Expand a key of 32 bytes that is used once: the nonce need not differ, and is zero. */
CPRNG_INLINE void cprng_expand_start(struct cprng_keystate *ks, const struct cprng_engine *engine,
				     const struct cprng_backend *backend, const uint8_t *key)
{
	static const uint8_t zero_nonce[CPRNG_NONCE_SIZE_MAX] = { 0 };

	backend->set_key(ks, key, 32);
	engine->family->set_position(ks, zero_nonce, engine->nonce_sizes[0], 0);
}

#endif
