/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fortuna (Ferguson, Schneier and Kohno, "Cryptography Engineering", chapter 9): harvest queue -> pools -> generator ->
 * readers.
 *
 * Time and locks are passed in.  There are two locks:
 *
 *   pools      the accumulator: held by a caller that drains the queue, or reseeds
 *   generator  K and C: held by readers for a step, and by a reseed for one hash
 *
 * The generator's lock may be taken under the pools' lock, and never the other way round.  Producers take no lock.  A
 * reader waits for the pools only before the first reseed; later it leaves the queue to the caller that holds them.
 *
 * An invalidation takes no lock either: it begins a new epoch of the queue, and the next holder of each lock empties what
 * the lock is for before it uses it.
 */
#ifndef CPRNG_FORTUNA_FORTUNA_H
#define CPRNG_FORTUNA_FORTUNA_H

#include "core/claim.h"
#include "fortuna/accumulator.h"
#include "fortuna/generator.h"
#include "fortuna/harvest.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * The most bytes of stack, below the caller of a read or of a poll of sources, that may hold keys and seeds when it returns
 * (core/wipe_stack.h).
 */
enum { CPRNG_FORTUNA_FRAMES = 2048 };

enum cprng_fortuna_lock { CPRNG_LOCK_POOLS, CPRNG_LOCK_GENERATOR, CPRNG_LOCKS };

/*
 * The environment.  Locks exclude all other callers of the same object, in any context: a lock in userspace blocks signals while
 * it is held, and one in a kernel disables interrupts, unless nothing draws there.
 *
 * which is an enum cprng_fortuna_lock.  A lock stores in token what its unlock needs: interrupt flags, a signal mask (128
 * bits on some architectures).  try_lock() returns 0, without the lock, when another has it.  These are the types of the public
 * hooks.
 */
struct cprng_fortuna_port {
	void (*lock)(void *arg, int which, uint64_t token[2]);
	int (*try_lock)(void *arg, int which, uint64_t token[2]);
	void (*unlock)(void *arg, int which, const uint64_t token[2]);
	uint64_t (*now)(void *arg); /* nanoseconds of a monotonic clock, from any start */
	/*
	 * Return a number that copies of this state almost never share, for cprng_generator_move() before each piece; called
	 * without a lock.  NULL: the output depends only on seeds and events, as in the book and its known answers.
	 */
	uint64_t (*apart)(void *arg);
};

struct cprng_fortuna_state {
	struct cprng_harvest harvest;         /* needs no lock */
	struct cprng_accumulator accumulator; /* CPRNG_LOCK_POOLS */
	struct cprng_generator generator;     /* CPRNG_LOCK_GENERATOR */
	uint32_t generator_epoch;             /* the epoch (harvest.h) of the generator; CPRNG_LOCK_GENERATOR */
};

/*
 * The object has two parts, so that the state can lie in memory that a fork wipes: `state` is all zero then, and this
 * part is unchanged.  cprng_fortuna_core_start() makes a wiped state usable (and unseeded) again.
 */
struct cprng_fortuna_core {
	struct cprng_fortuna_state *state;
	const struct cprng_fortuna_port *port;
	void *arg;                           /* for the functions of the port */
	struct cprng_harvest_claims *claims; /* in memory that survives a fork; NULL where no fork can happen */
	const struct cprng_engine *engine;
	const struct cprng_backend *backend;
	uint32_t pool_min;     /* bytes */
	uint32_t locked_reads; /* generate under the lock; 0: outside it.  Read and written atomically */
	uint8_t urgent_source; /* all its events go to P_0, for the next reseed (the number of a clone); 0: there is none */
};

enum cprng_fortuna_status {
	CPRNG_FORTUNA_OK = 0,
	CPRNG_FORTUNA_UNSEEDED = -1, /* no reseed yet: no output */
	CPRNG_FORTUNA_FULL = -2,     /* the event was dropped, and counted */
	CPRNG_FORTUNA_BUSY = -3      /* a lock is taken, and the caller does not wait */
};

/*
 * Make a state of all zeros usable, and free the cells that threads of the parent had claimed; no effect on a usable one.
 * The caller excludes concurrent calls.
 */
void cprng_fortuna_core_start(const struct cprng_fortuna_core *f);

/*
 * Make the object unseeded, with empty queue and pools: reads that begin after the return give nothing that was seeded
 * before the call.  A read that is under way may end with CPRNG_FORTUNA_UNSEEDED.  Any context, never waits.
 */
void cprng_fortuna_core_invalidate(const struct cprng_fortuna_core *f);

/* Put an event into the queue: any context, never waits.  CPRNG_FORTUNA_OK or CPRNG_FORTUNA_FULL. */
int cprng_fortuna_core_put(const struct cprng_fortuna_core *f, const struct cprng_event *event);

/*
 * Move the events of the queue into the pools, and reseed if that is due.  Any caller may.  Returns the number of events, or
 * 0 at once when another caller holds the pools.
 */
size_t cprng_fortuna_core_drain(const struct cprng_fortuna_core *f);

/*
 * Drain, and add the count events after those of the queue: for a poll of sources.  False, and nothing done, only with
 * CPRNG_NOWAIT and the pools' lock taken.  With CPRNG_NOWAIT a reseed that finds the generator's lock taken stays due.
 */
bool cprng_fortuna_core_add_events(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count,
				   enum cprng_wait wait);

struct cprng_fortuna_counts {
	uint64_t reseeds; /* from the pools */
	uint64_t events;  /* that the pools have had */
	bool seeded;
};

/* Fill *counts.  Waits for both locks. */
void cprng_fortuna_core_count(const struct cprng_fortuna_core *f, struct cprng_fortuna_counts *counts);

/*
 * Reseed with len bytes at once, past the pools, as the book's UpdateSeedFile does.  The generator counts as seeded; the
 * caller vouches for the bytes.  False, and nothing done, only with CPRNG_NOWAIT and the generator's lock taken.
 */
bool cprng_fortuna_core_seed(const struct cprng_fortuna_core *f, const void *seed, size_t len, enum cprng_wait wait);

/*
 * RandomData: fill buf with len bytes.  CPRNG_FORTUNA_OK, or another status with no output in buf.  len 0 is OK at any
 * time.
 *
 * CPRNG_WAIT: drain and reseed first where that is due; CPRNG_FORTUNA_UNSEEDED.
 * CPRNG_NOWAIT: leave the pools alone, and generate outside the lock; CPRNG_FORTUNA_BUSY when the generator's lock is
 * taken, CPRNG_FORTUNA_UNSEEDED.
 */
int cprng_fortuna_core_read(const struct cprng_fortuna_core *f, void *buf, size_t len,
			    enum cprng_wait wait) CPRNG_MUST_CHECK;

CPRNG_END_DECLARATIONS
#endif
