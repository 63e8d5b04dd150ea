/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna's accumulator ("Cryptography Engineering", 9.5): 32 pools P_0 to P_31, among which the events of each source are
 * distributed in turn.  Pool P_i takes part in every 2^i-th reseed.  So the generator recovers from an attacker that
 * knows its state and makes most of the events: some pool collects enough of the other events before it is used.
 *
 * The caller excludes concurrent calls, and passes in the time.
 */
#ifndef CPRNG_FORTUNA_ACCUMULATOR_H
#define CPRNG_FORTUNA_ACCUMULATOR_H

#include "core/sha256.h"
#include "fortuna/harvest.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	CPRNG_POOLS = 32,
	CPRNG_SOURCES = 256, /* numbers of sources: one byte of the hashed form of an event */
	CPRNG_SEED_MAX = CPRNG_POOLS * CPRNG_SHA256_SIZE,

	/*
	 * The book's MinPoolSize: the least input of P_0 before a reseed, in bytes of full entropy.  The default is that of
	 * FreeBSD; the smallest that an owner may choose is 128 bits.
	 */
	CPRNG_POOL_MIN_DEFAULT = 64,
	CPRNG_POOL_MIN_LEAST = 16,
	CPRNG_POOL_MIN_MOST = 65536,
};

/* At most ten reseeds a second (the book, 9.5.5): 32 pools last for 13 years then. */
#define CPRNG_RESEED_INTERVAL_NS 100000000u

struct cprng_pool {
	struct cprng_sha256 hash; /* Hd of the events since the last reseed that used the pool */
	uint32_t entropy_bits;    /* of these events; saturates */
};

struct cprng_accumulator {
	struct cprng_pool pool[CPRNG_POOLS]; /* P_i */
	uint8_t next_pool[CPRNG_SOURCES];    /* for each source: the pool of its next event */
	uint64_t reseeds;                    /* ReseedCnt */
	cprng_atomic64 last_reseed;          /* nanoseconds of the caller's clock; unused while reseeds is 0 */
	uint64_t events;
	uint32_t pool_min;            /* bytes; 0 only before the initialisation */
	uint8_t seed[CPRNG_SEED_MAX]; /* room for cprng_accumulator_take() */
	uint8_t urgent_source; /* its events all go to P_0, so that the next reseed uses them; 0: there is none */
};

/* pool_min from CPRNG_POOL_MIN_LEAST to CPRNG_POOL_MIN_MOST.  No source is urgent. */
void cprng_accumulator_init(struct cprng_accumulator *a, uint32_t pool_min);

/* As after the initialisation, with the same pool_min and urgent source. */
void cprng_accumulator_empty(struct cprng_accumulator *a);

/* AddRandomEvent: append source || len || payload to the next pool of the source, or of an urgent source to P_0. */
void cprng_accumulator_add(struct cprng_accumulator *a, const struct cprng_event *event);

/*
 * Is a reseed due (the condition in RandomData)?  P_0 holds enough, and the clock is CPRNG_RESEED_INTERVAL_NS or more away
 * from its time at the last reseed: before it, too, since a clock that goes back at each reading must not stop the reseeds.
 */
bool cprng_accumulator_due(const struct cprng_accumulator *a, uint64_t now);

/*
 * Step ReseedCnt, and empty each pool P_i for which 2^i divides it into a->seed, 32 bytes each, P_0 first.  Returns the
 * length of the seed; the caller must reseed the generator with it and wipe it.
 */
size_t cprng_accumulator_take(struct cprng_accumulator *a, uint64_t now);

CPRNG_END_DECLARATIONS
#endif
