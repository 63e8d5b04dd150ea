/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The harvest queue: events wait in it until a thread hashes them into the pools.
 *
 * It takes any number of producers in any context (threads, signal handlers, interrupts, a producer that interrupts
 * another): a producer never waits, loops or allocates.  There is one consumer at a time, with the lock of the pools.
 *
 * Each cell is claimed, filled and released separately.  So a producer that stops permanently in the middle (a signal
 * handler never returns to it) costs one cell of the queue and nothing else.
 *
 * All bytes zero is an empty queue: a page that is wiped in a forked child holds no events of the parent.
 *
 * An invalidation begins a new epoch, in any context: events that were put before it count for nothing.
 */
#ifndef CPRNG_FORTUNA_HARVEST_H
#define CPRNG_FORTUNA_HARVEST_H

#include "core/claim.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	/* The book's bound of an event (9.5.3.1). */
	CPRNG_EVENT_MAX = 32,
	/* In 10 KiB, two and a half times the events of a 1000 Hz timer between two reseeds (100 ms). */
	CPRNG_HARVEST_CELLS = 256,
};

struct cprng_event {
	uint8_t source;
	uint8_t len;           /* 1 to CPRNG_EVENT_MAX */
	uint16_t entropy_bits; /* count towards the next reseed; at most 8 * len */
	uint8_t payload[CPRNG_EVENT_MAX];
};

enum cprng_cell_state { CPRNG_CELL_EMPTY, CPRNG_CELL_FULL, CPRNG_CELL_WRITING };

struct cprng_harvest {
	uint32_t tail;    /* the number of claims that were tried, modulo 2^32 */
	uint32_t drained; /* tail at the last sweep, or the first event that it missed; for cprng_harvest_waiting() */
	uint32_t swept;   /* tail at the last sweep; only the consumer uses it */
	size_t dropped;   /* events that found no free cell; of the size that every CPU adds to without a lock */
	uint32_t epoch;   /* the number of invalidations, modulo 2^32 */
	uint32_t renewed; /* the epoch of the pools; only the consumer uses it */
	uint32_t process; /* the number in this process's claims; 0: none yet, as after a fork */
	struct cprng_harvest_cell {
		/*
		 * enum cprng_cell_state in two bits; above them with CPRNG_CELL_WRITING the producer's number, with
		 * CPRNG_CELL_FULL the epoch of the event.
		 */
		uint32_t state;
		struct cprng_event event;
	} cell[CPRNG_HARVEST_CELLS];
};

/* The claims of the cells, in memory that survives a fork, for a queue in memory that a fork wipes. */
struct cprng_harvest_claims {
	uintptr_t (*this_thread)(void); /* the calling thread's number, which it has in a child, too */
	bool (*is_first_thread)(void);  /* true in the first thread of a process; in a child, the one that forked */
	uint32_t process;               /* steps in each process of a line of forks that puts an event */
	struct cprng_claim cell[CPRNG_HARVEST_CELLS];
};

/*
 * Put a copy of the event into the queue; the caller has checked its members.  False when the cell is taken (the queue is
 * full, or a producer has stopped permanently in it): the event is dropped and counted.  claims is NULL where no fork can
 * happen.
 */
bool cprng_harvest_put(struct cprng_harvest *q, const struct cprng_event *event, struct cprng_harvest_claims *claims);

/* The number by which the calling thread claims cells, not 0. */
uint32_t cprng_harvest_claimant(struct cprng_harvest *q, struct cprng_harvest_claims *claims);

/*
 * Free the cells that threads of the parent had claimed when it forked.  Only the first thread of a process can tell which
 * threads do not exist; a call by another thread has no effect.  Any context, at any time.
 */
void cprng_harvest_release_lost(struct cprng_harvest *q, struct cprng_harvest_claims *claims);

/* Begin a new epoch.  Any context, never waits. */
CPRNG_INLINE void cprng_harvest_invalidate(struct cprng_harvest *q)
{
	__atomic_fetch_add(&q->epoch, 1, __ATOMIC_SEQ_CST);
}

/* For the consumer: has a new epoch begun since the last call?  Sweeps then pass on its events, and erase older ones. */
bool cprng_harvest_renew(struct cprng_harvest *q);

/* Are there events to take?  A hint, for any context. */
CPRNG_INLINE bool cprng_harvest_waiting(const struct cprng_harvest *q)
{
	return __atomic_load_n(&q->tail, __ATOMIC_RELAXED) != __atomic_load_n(&q->drained, __ATOMIC_RELAXED);
}

/*
 * Pass each complete event to take(arg, event), oldest first, and erase it in the queue.  Events that are being written
 * meanwhile, or are of an epoch that cprng_harvest_renew() has not returned yet, stay for the next sweep.  Returns the
 * number of events.
 */
size_t cprng_harvest_sweep(struct cprng_harvest *q, void (*take)(void *arg, const struct cprng_event *event),
			   void *arg);

CPRNG_END_DECLARATIONS
#endif
