/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The harvest queue: where events wait until somebody has time to hash them.
 *
 * Any number of producers, in any context (threads, signal handlers, interrupts, a producer that interrupts another):
 * none waits, none loops, none allocates.  One consumer at a time, which the caller sees to (the lock of the pools).
 *
 * Each cell is claimed, filled and released by itself, so a producer that is stopped half way for ever (a signal handler
 * that never returns to it) costs one cell of the queue and nothing else.
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
	uint8_t len;     /* 1 to CPRNG_EVENT_MAX */
	uint16_t credit; /* bits of entropy that are counted towards a reseed, at most 8 * len */
	uint8_t payload[CPRNG_EVENT_MAX];
};

enum cprng_cell_state { CPRNG_CELL_EMPTY, CPRNG_CELL_FULL, CPRNG_CELL_WRITING };

struct cprng_harvest {
	uint32_t tail;    /* the number of claims that were tried, modulo 2^32 */
	uint32_t drained; /* tail at the last sweep, or what it left; for cprng_harvest_waiting() */
	uint32_t swept;   /* tail at the last sweep; the consumer's */
	size_t dropped;   /* events that found no free cell; a word, which every CPU counts without a lock */
	struct cprng_harvest_cell {
		uint32_t
			state; /* enum cprng_cell_state; being written, with the number of the claim above the two bits */
		struct cprng_event event;
	} cell[CPRNG_HARVEST_CELLS];
};

/*
 * Leave a copy of the event.  False when its cell is taken (the queue is full, or a producer never finished there): the
 * event is dropped and counted.
 * The caller has checked the members.
 *
 * claims: one for each cell, in memory that a fork keeps, for a queue in memory that a fork wipes; NULL where nothing forks.
 */
bool cprng_harvest_put_claimed(struct cprng_harvest *q, const struct cprng_event *event, struct cprng_claim *claims);

CPRNG_INLINE bool cprng_harvest_put(struct cprng_harvest *q, const struct cprng_event *event)
{
	return cprng_harvest_put_claimed(q, event, NULL);
}

/* Is there perhaps something to take?  A hint, for any context. */
CPRNG_INLINE bool cprng_harvest_waiting(const struct cprng_harvest *q)
{
	return __atomic_load_n(&q->tail, __ATOMIC_RELAXED) != __atomic_load_n(&q->drained, __ATOMIC_RELAXED);
}

/*
 * Give each event to take(arg, event), oldest first, and erase it in the queue.  Takes what is complete when it comes
 * by; what is being written meanwhile is for the next sweep.  Returns the number of events.
 */
size_t cprng_harvest_sweep(struct cprng_harvest *q, void (*take)(void *arg, const struct cprng_event *event),
			   void *arg);

#ifdef __cplusplus
}
#endif
#endif
