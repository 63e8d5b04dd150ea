/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engines (ciphers run as keystream generators) and their backends.
 *
 * An engine is a row of cprng_engines[].  Its family is the cipher with any number of rounds, and has one table of backends, best
 * first.  A backend only writes keystream: the library never combines keystream with a caller's text.
 */
#ifndef CPRNG_ENGINE_ENGINE_H
#define CPRNG_ENGINE_ENGINE_H

#include "core/lengths.h"
#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	CPRNG_KEY_SIZE_MAX = 32,
	CPRNG_NONCE_SIZE_MAX = 16,
	CPRNG_BLOCK_SIZE_MAX = 64,
};

/*
 * An expanded key and a position: all state that a keystream() call reads and advances.  It holds key material: wipe it.
 *
 * ChaCha and Salsa20 keep the 16 words of their input block, in host byte order, block counter included (a 64-bit
 * counter in words 12,13 for ChaCha and 8,9 for Salsa20, low word first).  AES keeps its round keys as the bytes of
 * FIPS 197 (11 or 15 of 16 bytes) and the counter block as two host-order halves of a big-endian 128-bit number.
 */
struct cprng_keystate {
	union {
		uint32_t word[16];
		uint8_t round_key[15][16];
	} __attribute__((aligned(64))) u;
	uint64_t counter_hi, counter_lo; /* AES only */
};

/*
 * A hint: the buffer is larger than the caches, so bypass them with streaming stores if the backend can.  The output is the same;
 * the backend issues the store fence before it returns.  Callers set it from CPRNG_STREAMING_MIN bytes on.
 */
#define CPRNG_STREAMING 1u

struct cprng_backend {
	const char *name;
	uint32_t needs; /* CPRNG_CPU_* bits, all required; 0 for the portable reference */

	/*
	 * Expand a key of key_size bytes, a size that the engine accepts, into ks; nonce and counter do not change.
	 */
	void (*set_key)(struct cprng_keystate *ks, const uint8_t *key, size_t key_size);

	/*
	 * Write nblocks whole blocks of keystream, possibly 0, to out (any alignment), and advance the counter by nblocks:
	 * modulo 2^128 for AES, modulo 2^64 for ChaCha and Salsa20.  With a 12-byte nonce the step after the last block changes
	 * the nonce, so the caller stops there.  Leaves key and keystream in memory only in ks and out; the caller clears vector
	 * registers (cprng_clear_registers()) where that matters.
	 */
	void (*keystream)(struct cprng_keystate *ks, unsigned int rounds, uint8_t *out, size_t nblocks,
			  unsigned int flags);
};

/* The maximum number of rows of a family's table, checked there at compile time. */
#define CPRNG_BACKENDS_MAX 8
#define CPRNG_CHECK_BACKENDS(table) \
	_Static_assert(CPRNG_ARRAY_SIZE(table) - 1 <= CPRNG_BACKENDS_MAX, \
		       "a verdict is kept for each backend (engine.c)")

struct cprng_family {
	const char *name;
	const struct cprng_backend *backends; /* best first; ends with a row whose name is NULL */
	/* Set the nonce, of a size that the engine accepts, and a 64-bit block index relative to it; after set_key.  With a
	 * 12-byte ChaCha nonce (RFC 8439) block is below 2^32.  For AES the nonce is the initial counter block. */
	void (*set_position)(struct cprng_keystate *ks, const uint8_t *nonce, size_t nonce_size, uint64_t block);
};

struct cprng_engine {
	const char *name;
	const struct cprng_family *family;
	uint8_t key_sizes[2];   /* bytes; unused entries 0 */
	uint8_t nonce_sizes[2]; /* bytes; unused entries 0 */
	uint8_t block_size;     /* bytes: 16 or 64 */
	uint8_t rounds;
	/*
	 * Bits of the block counter.  64: little-endian, beside a nonce.  128: the whole block is one big-endian counter (SP
	 * 800-38A), and the nonce is its first value.
	 */
	uint8_t counter_bits;
	/* The process's generator and Fortuna may use it: full strength, with 32-byte keys. */
	bool is_for_generators;
	/* CPRNG_CPU_* bits, any of which makes it the first choice for generators; 0: usable on every CPU, but not preferred. */
	uint32_t preferred_on;
	/* The most blocks from one key in a generator, whose output must look random; 0: as many as the counter allows. */
	uint32_t blocks_per_key;
};

/* The rows of cprng_engines[]. */
enum {
	CPRNG_ENGINE_CHACHA20,
	CPRNG_ENGINE_CHACHA12,
	CPRNG_ENGINE_CHACHA8,
	CPRNG_ENGINE_SALSA20,
	CPRNG_ENGINE_SALSA20_12,
	CPRNG_ENGINE_SALSA20_8,
	CPRNG_ENGINE_AES256_CTR,
	CPRNG_ENGINE_AES128_CTR,
	CPRNG_ENGINES,
};

/* All engines of the library; ends with a row whose name is NULL. */
extern const struct cprng_engine cprng_engines[];

extern const struct cprng_family cprng_family_chacha;
extern const struct cprng_family cprng_family_salsa20;
extern const struct cprng_family cprng_family_aesctr;

/* Find by name; NULL if there is none. */
const struct cprng_engine *cprng_engine_find(const char *name);
const struct cprng_backend *cprng_backend_find(const struct cprng_engine *engine, const char *name);

/* Return true if this CPU, under the ceiling, can run the backend. */
bool cprng_backend_usable(const struct cprng_backend *backend);

/*
 * Return the best usable backend that gives its known answers; NULL if none does (a broken build or CPU: the caller aborts).
 * The verdict is cached.  Any thread, any signal handler.
 */
const struct cprng_backend *cprng_engine_select(const struct cprng_engine *engine);

/*
 * Get the default engine of generators and its backend: AES if the CPU has instructions for it, otherwise ChaCha20.  False if no
 * backend gives its known answers.
 */
bool cprng_engine_default(const struct cprng_engine **engine, const struct cprng_backend **backend) CPRNG_MUST_CHECK;

/*
 * Compare the output of backend with the known answers of engine, at its round count.  Returns 0, or the 1-based number of the
 * answer that failed; 1 for an engine without answers.
 */
int cprng_engine_selftest(const struct cprng_engine *engine, const struct cprng_backend *backend) CPRNG_MUST_CHECK;

CPRNG_END_DECLARATIONS
#endif
