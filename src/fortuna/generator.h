/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna's generator ("Cryptography Engineering", 9.4): a key K, a counter C of 128 bits that never decreases, a cipher.
 *
 * The book's PseudoRandomData(n) writes the blocks at C, C + 1, ... (GenerateBlocks) and takes the blocks that follow for
 * the next K, so that a later K does not reveal earlier output.  Here it is two operations, of which only the first needs
 * the generator:
 *
 *   step     copies (K, C) to a lease for the reader and replaces both: C skips the reader's blocks, and the next K comes
 *            from the blocks after them.  Takes the same short time for any length;
 *   expand   writes the reader's blocks from the lease (GenerateBlocks).
 *
 * A read is divided into pieces.  With AES a piece has at most 2^16 blocks (1 MiB); then the book demands another key,
 * because a counter never repeats a block and random data would.  With ChaCha20 a read is one piece.
 *
 *   AES       counter block of SP 800-38A: C as 16 bytes, big-endian
 *   ChaCha20  64-bit block counter: the low half of C; 64-bit nonce: the high half, little-endian
 */
#ifndef CPRNG_FORTUNA_GENERATOR_H
#define CPRNG_FORTUNA_GENERATOR_H

#include "core/lengths.h"
#include "core/uint128.h"
#include "engine/engine.h"

CPRNG_BEGIN_DECLARATIONS

enum { CPRNG_GENERATOR_KEY_SIZE = 32 };

struct cprng_generator {
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	struct cprng_uint128 counter;          /* C; 0: never seeded, no output */
	uint8_t key[CPRNG_GENERATOR_KEY_SIZE]; /* K */
};

/* A reader's copy of (K, C).  Holds the key until the expansion, which wipes the lease. */
struct cprng_lease {
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	struct cprng_uint128 counter;
	struct cprng_keystate ks;
};

/* InitializeGenerator: K and C are 0.  engine is for generators (engine.h); backend is one of its backends. */
void cprng_generator_init(struct cprng_generator *g, const struct cprng_engine *engine,
			  const struct cprng_backend *backend);

/* Also false after a fork in a signal handler has wiped the state in the middle of an operation. */
CPRNG_INLINE bool cprng_generator_seeded(const struct cprng_generator *g)
{
	return g->engine != NULL && !cprng_uint128_is_zero(g->counter);
}

/* Reseed: K = Hd(K || seed), C = C + 1. */
void cprng_generator_reseed(struct cprng_generator *g, const void *seed, size_t len);

/*
 * Add `number` to the upper half of C, so that copies of one state, each with a number of its own, generate different blocks
 * and keys.  K generates one piece, at any C, and is replaced: no number, an attacker's choice included, makes a block occur
 * twice or says anything of K.  The lower half, which counts blocks, keeps C from becoming 0.
 */
CPRNG_INLINE void cprng_generator_move(struct cprng_generator *g, uint64_t number)
{
	g->counter.hi += number;
}

/* The longest piece, in bytes. */
size_t cprng_generator_piece_max(const struct cprng_generator *g);

/* Lease len bytes, 1 to the longest piece; afterwards C lies behind the reader's blocks and the next key, K is that key. */
void cprng_generator_step(struct cprng_generator *g, size_t len, struct cprng_lease *lease);

/* Write the len bytes that were leased; flags as of keystream().  Wipes the lease. */
void cprng_lease_expand(struct cprng_lease *lease, void *buf, size_t len, unsigned int flags);

CPRNG_END_DECLARATIONS
#endif
