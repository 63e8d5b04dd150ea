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
 */
#ifndef CPRNG_FORTUNA_HARVEST_H
#define CPRNG_FORTUNA_HARVEST_H

#include "core/claim.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	/* The book's bound of an event (9.5.3.1). */
	CPRNG_EVENT_MAX = 32,
	/* Two and a half times what a timer of 1000 Hz adds between two reseeds (100 ms), in 10 KiB. */
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
	struct cprng_harvest_cell {
		/* enum cprng_cell_state; with CPRNG_CELL_WRITING the producer's number is above the two bits. */
		uint32_t state;
		struct cprng_event event;
	} cell[CPRNG_HARVEST_CELLS];
};

/*
 * Put a copy of the event into the queue; the caller has checked its members.  False when the cell is taken (the queue is
 * full, or a producer has stopped permanently in it): the event is dropped and counted.
 *
 * claims: one for each cell, in memory that a fork keeps, for a queue in memory that a fork wipes; NULL where no fork can
 * happen.
 */
bool cprng_harvest_put_claimed(struct cprng_harvest *q, const struct cprng_event *event, struct cprng_claim *claims);

CPRNG_INLINE bool cprng_harvest_put(struct cprng_harvest *q, const struct cprng_event *event)
{
	return cprng_harvest_put_claimed(q, event, NULL);
}

/* Are there events to take?  A hint, for any context. */
CPRNG_INLINE bool cprng_harvest_waiting(const struct cprng_harvest *q)
{
	return __atomic_load_n(&q->tail, __ATOMIC_RELAXED) != __atomic_load_n(&q->drained, __ATOMIC_RELAXED);
}

/*
 * Pass each complete event to take(arg, event), oldest first, and erase it in the queue.  Events that are being written
 * meanwhile stay for the next sweep.  Returns the number of events.
 */
size_t cprng_harvest_sweep(struct cprng_harvest *q, void (*take)(void *arg, const struct cprng_event *event),
			   void *arg);

#ifdef __cplusplus
}
#endif
#endif
