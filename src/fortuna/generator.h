/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna's generator ("Cryptography Engineering", 9.4): a key, a counter of 128 bits that never goes back, a cipher.
 *
 * A read is cut into pieces, and each piece is two steps that need not be done together:
 *
 *   step     copies key and counter for the reader and replaces both: short, and the same for a piece of any length;
 *   expand   makes the reader's bytes out of the copy: needs nothing that is shared.
 *
 * With AES a piece is at most 2^16 blocks (1 MiB), after which the book wants another key, because a counter never
 * repeats a block and random data would.  ChaCha20 needs none, and a read is one piece.
 *
 *   AES       counter block of SP 800-38A: the counter's 16 bytes, big-endian
 *   ChaCha20  64-bit block counter: the low half; 64-bit nonce: the high half, little-endian
 */
#ifndef CPRNG_FORTUNA_GENERATOR_H
#define CPRNG_FORTUNA_GENERATOR_H

#include "core/lengths.h"
#include "core/uint128.h"
#include "engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CPRNG_GENERATOR_KEY_SIZE = 32 };

struct cprng_generator {
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	struct cprng_uint128 counter; /* 0: never seeded, no output */
	uint8_t key[CPRNG_GENERATOR_KEY_SIZE];
};

/* What a reader takes with it: holds a key until it is expanded, which wipes it. */
struct cprng_lease {
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	struct cprng_uint128 counter;
	struct cprng_keystate ks;
};

/* engine takes keys of 32 bytes: aes256-ctr or chacha20; backend is one of its own. */
void cprng_generator_init(struct cprng_generator *g, const struct cprng_engine *engine,
			  const struct cprng_backend *backend);

/* False also for a state that was wiped under the hands of its user, by a fork in a signal handler. */
CPRNG_INLINE bool cprng_generator_seeded(const struct cprng_generator *g)
{
	return g->engine != NULL && !cprng_uint128_is_zero(g->counter);
}

/* key = Hd(key || seed), and a step of the counter. */
void cprng_generator_reseed(struct cprng_generator *g, const void *seed, size_t len);

/* The longest piece, in bytes. */
size_t cprng_generator_piece_max(const struct cprng_generator *g);

/* A lease on len bytes (1 to the longest piece); the generator goes on behind them, with the key that follows. */
void cprng_generator_step(struct cprng_generator *g, size_t len, struct cprng_lease *lease);

/* The len bytes that were leased; flags as of keystream().  The lease is wiped. */
void cprng_lease_expand(struct cprng_lease *lease, void *buf, size_t len, unsigned int flags);

#ifdef __cplusplus
}
#endif
#endif
