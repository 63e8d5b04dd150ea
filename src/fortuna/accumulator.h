/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna's accumulator ("Cryptography Engineering", 9.5): 32 pools, over which the events of each source are dealt in
 * turn.  Pool i takes part in every 2^i-th reseed, so that an attacker who knows the state and makes most of the events
 * still loses track: some pool collects enough of the others before it is used.
 *
 * Plain functions of a plain object: the caller keeps others out, and says what time it is.
 */
#ifndef CPRNG_FORTUNA_ACCUMULATOR_H
#define CPRNG_FORTUNA_ACCUMULATOR_H

#include "fortuna/harvest.h"
#include "fortuna/sha256.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	CPRNG_POOLS = 32,
	CPRNG_SOURCES = 256, /* numbers of sources: one byte of the hashed form of an event */
	CPRNG_SEED_MAX = CPRNG_POOLS * CPRNG_SHA256_SIZE,

	/*
	 * The least input of pool 0 before a reseed, in bytes that are credited with full entropy: what FreeBSD takes,
	 * and the smallest that an owner may choose, 128 bits.
	 */
	CPRNG_POOL_MIN_DEFAULT = 64,
	CPRNG_POOL_MIN_LEAST = 16,
	CPRNG_POOL_MIN_MOST = 65536,
};

/* At most ten reseeds a second (the book, 9.5.5): 32 pools last for 13 years then. */
#define CPRNG_RESEED_INTERVAL_NS 100000000u

struct cprng_pool {
	struct cprng_sha256 hash; /* Hd of the events since it was used last */
	uint32_t credit;          /* their bits, up to what the number can hold */
};

struct cprng_accumulator {
	struct cprng_pool pool[CPRNG_POOLS];
	uint8_t next_pool[CPRNG_SOURCES]; /* of each source */
	uint64_t reseeds;                 /* ReseedCnt of the book */
	uint64_t last_reseed;             /* nanoseconds of the caller's clock; of no meaning when reseeds is 0 */
	uint64_t events;
	uint32_t pool_min;            /* bytes; 0 only before the initialisation */
	uint8_t seed[CPRNG_SEED_MAX]; /* room for cprng_accumulator_take() */
};

/* pool_min from CPRNG_POOL_MIN_LEAST to CPRNG_POOL_MIN_MOST. */
void cprng_accumulator_init(struct cprng_accumulator *a, uint32_t pool_min);

/* Append source || len || payload to the next pool of the source. */
void cprng_accumulator_add(struct cprng_accumulator *a, const struct cprng_event *event);

/*
 * May there be a reseed at this time?  Pool 0 holds enough, and the last one was CPRNG_RESEED_INTERVAL_NS ago.  A clock
 * that was set back starts the interval again.
 */
bool cprng_accumulator_due(struct cprng_accumulator *a, uint64_t now);

/*
 * Count a reseed and empty each pool i of which 2^i divides the count into a->seed, 32 bytes each, pool 0 first.
 * Returns the length of the seed; the caller uses it and wipes it.
 */
size_t cprng_accumulator_take(struct cprng_accumulator *a, uint64_t now);

#ifdef __cplusplus
}
#endif
#endif
