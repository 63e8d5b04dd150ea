/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/generator.h"

#include "core/bytes.h"
#include "core/sha256.h"
#include "core/wipe.h"
#include "cpu/registers.h"
#include "engine/engine.h"

_Static_assert((int)CPRNG_GENERATOR_KEY_SIZE == (int)CPRNG_SHA256_SIZE, "a key is a digest");

void cprng_generator_init(struct cprng_generator *g, const struct cprng_engine *engine,
			  const struct cprng_backend *backend)
{
	memset(g, 0, sizeof(*g));
	g->engine = engine;
	g->backend = backend;
}

void cprng_generator_reseed(struct cprng_generator *g, const void *seed, size_t len)
{
	struct cprng_sha256 h;

	cprng_sha256d_init(&h);
	cprng_sha256_update(&h, g->key, sizeof(g->key));
	cprng_sha256_update(&h, seed, len);
	cprng_sha256d_final(&h, g->key);
	cprng_clear_registers();
	g->counter = cprng_uint128_add64(g->counter, 1);
}

size_t cprng_generator_piece_max(const struct cprng_generator *g)
{
	const struct cprng_engine *const e = g->engine;

	return e->blocks_per_key != 0 ? (size_t)e->blocks_per_key * e->block_size : SIZE_MAX;
}

static void set_counter(struct cprng_lease *lease)
{
	uint8_t nonce[CPRNG_NONCE_SIZE_MAX];

	if (lease->engine->counter_bits == 128) {
		cprng_store_be64(nonce, lease->counter.hi);
		cprng_store_be64(nonce + 8, lease->counter.lo);
		lease->engine->family->set_position(&lease->ks, nonce, 16, 0);
	} else {
		cprng_store_le64(nonce, lease->counter.hi);
		lease->engine->family->set_position(&lease->ks, nonce, 8, lease->counter.lo);
	}
}

/* GenerateBlocks: write nblocks of keystream at the lease's C, which steps by as many. */
static void generator_keystream(struct cprng_lease *lease, uint8_t *out, size_t nblocks, unsigned int flags)
{
	while (nblocks != 0) {
		/* ChaCha's block counter is the low half of C only: where that wraps, the nonce takes the carry. */
		const uint64_t before_wrap = 0 - lease->counter.lo;
		const size_t n = before_wrap - 1 < nblocks ? (size_t)before_wrap : nblocks;

		set_counter(lease);
		lease->backend->keystream(&lease->ks, lease->engine->rounds, out, n, flags);
		lease->counter = cprng_uint128_add64(lease->counter, n);
		out += n * lease->engine->block_size;
		nblocks -= n;
	}
}

void cprng_generator_step(struct cprng_generator *g, size_t len, struct cprng_lease *lease)
{
	const size_t block = g->engine->block_size, blocks = len / block + (len % block != 0);
	const size_t key_blocks = (CPRNG_GENERATOR_KEY_SIZE + block - 1) / block;
	const struct cprng_uint128 begin = g->counter;
	uint8_t next[CPRNG_BLOCK_SIZE_MAX];

	lease->engine = g->engine;
	lease->backend = g->backend;
	g->backend->set_key(&lease->ks, g->key, sizeof(g->key));
	lease->counter = cprng_uint128_add64(begin, blocks);
	generator_keystream(lease, next, key_blocks, 0);
	g->counter = lease->counter;
	memcpy(g->key, next, sizeof(g->key));
	lease->counter = begin;
	cprng_wipe(next, sizeof(next));
	/* Before signals are unblocked: a signal frame would keep the registers on the stack. */
	cprng_clear_registers();
}

void cprng_lease_expand(struct cprng_lease *lease, void *buf, size_t len, unsigned int flags)
{
	const size_t block = lease->engine->block_size, whole = len / block, tail = len % block;
	uint8_t last[CPRNG_BLOCK_SIZE_MAX];

	generator_keystream(lease, buf, whole, flags);
	if (tail != 0) {
		generator_keystream(lease, last, 1, 0);
		memcpy((uint8_t *)buf + whole * block, last, tail);
	}
	cprng_wipe(last, sizeof(last));
	cprng_wipe(lease, sizeof(*lease));
	cprng_clear_registers();
}
