/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna whole: harvest queue -> pools -> generator -> readers.
 *
 * Time and locks are passed in.  There are two locks, and nobody holds both for long:
 *
 *   pools      the accumulator: whoever drains the queue or reseeds
 *   generator  key and counter: readers, for a step; a reseed, for one hash
 *
 * The lock of the generator may be taken under that of the pools, and never the other way round.  Producers take none.
 * A reader never waits for the pools (it leaves draining to whoever is at it), but for the very first seeding.
 */
#ifndef CPRNG_FORTUNA_FORTUNA_H
#define CPRNG_FORTUNA_FORTUNA_H

#include "fortuna/accumulator.h"
#include "fortuna/generator.h"
#include "fortuna/harvest.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cprng_fortuna_lock { CPRNG_LOCK_POOLS, CPRNG_LOCK_GENERATOR, CPRNG_LOCKS };

/* What a lock keeps for its unlock: interrupt flags, a signal mask (128 bits on some architectures). */
struct cprng_lock_token {
	uint64_t word[2];
};

/*
 * The surroundings.  Locks exclude all other callers of the same object, in whatever context they may run: a lock of
 * userspace blocks signals while it is held, one of a kernel interrupts, unless nobody draws there.
 */
struct cprng_fortuna_port {
	void (*lock)(void *arg, enum cprng_fortuna_lock which, struct cprng_lock_token *token);
	bool (*try_lock)(void *arg, enum cprng_fortuna_lock which, struct cprng_lock_token *token);
	void (*unlock)(void *arg, enum cprng_fortuna_lock which, const struct cprng_lock_token *token);
	uint64_t (*now)(void *arg); /* nanoseconds of a clock that goes on evenly, from any start */
};

struct cprng_fortuna_state {
	struct cprng_harvest harvest;         /* no lock */
	struct cprng_accumulator accumulator; /* CPRNG_LOCK_POOLS */
	struct cprng_generator generator;     /* CPRNG_LOCK_GENERATOR */
};

/*
 * The object is in two parts, so that the state can be where a fork wipes it: `state` all zero after that, and this
 * part as it was.  cprng_fortuna_core_start() makes a wiped state usable (and unseeded) again.
 */
struct cprng_fortuna_core {
	struct cprng_fortuna_state *state;
	const struct cprng_fortuna_port *port;
	void *arg;                      /* for the functions of the port */
	struct cprng_claim *cell_claim; /* of the queue's cells, where a fork keeps them; NULL where nothing forks */
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	uint32_t pool_min;   /* bytes */
	uint32_t concurrent; /* 0: generate under the lock; read and written atomically */
};

enum cprng_fortuna_status {
	CPRNG_FORTUNA_OK = 0,
	CPRNG_FORTUNA_UNSEEDED = -1, /* no reseed yet: no output */
	CPRNG_FORTUNA_FULL = -2      /* the event was dropped, and counted */
};

/* Make a state of all zeros usable.  The caller keeps others out.  No effect on one that is usable. */
void cprng_fortuna_core_start(const struct cprng_fortuna_core *f);

/* Leave an event in the queue: any context, never waits.  CPRNG_FORTUNA_OK or CPRNG_FORTUNA_FULL. */
int cprng_fortuna_core_put(const struct cprng_fortuna_core *f, const struct cprng_event *event);

/*
 * Deal what is in the queue over the pools, and reseed if that is due.  Anyone may; returns the number of events, or 0 at
 * once when somebody is at it.
 */
size_t cprng_fortuna_core_drain(const struct cprng_fortuna_core *f);

/*
 * The same, and the count events after those of the queue: for whoever polls sources.  The first waits for the locks;
 * the second does not, and is false when the events were not dealt (a reseed that cannot be done at once stays due).
 */
void cprng_fortuna_core_add_events(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count);
bool cprng_fortuna_core_try_add_events(const struct cprng_fortuna_core *f, const struct cprng_event *events,
				 size_t count) CPRNG_MUST_CHECK;

/*
 * Mix len bytes into the key at once, past the pools (the book's UpdateSeedFile does so).  Counts as the first seeding;
 * the caller vouches for the bytes.  The second is false, and nothing done, when the lock is taken.
 */
void cprng_fortuna_core_seed(const struct cprng_fortuna_core *f, const void *seed, size_t len);
bool cprng_fortuna_core_try_seed(const struct cprng_fortuna_core *f, const void *seed, size_t len) CPRNG_MUST_CHECK;

/*
 * Fill buf with len bytes.  CPRNG_FORTUNA_OK, or CPRNG_FORTUNA_UNSEEDED with no output in buf.  Drains and reseeds first
 * where that is due.  len 0 is OK at any time.
 */
int cprng_fortuna_core_read(const struct cprng_fortuna_core *f, void *buf, size_t len) CPRNG_MUST_CHECK;

/*
 * For a caller that must not wait at all: 1 to 1 MiB bytes, and no look after the pools.  False, and no output, when the
 * lock is taken or there was no reseed yet.
 */
bool cprng_fortuna_core_try_read(const struct cprng_fortuna_core *f, void *buf, size_t len) CPRNG_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
