/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/harvest.h"

#include "core/wipe.h"

_Static_assert((CPRNG_HARVEST_CELLS & (CPRNG_HARVEST_CELLS - 1)) == 0, "the numbers of cells wrap with 2^32");

static bool drop(struct cprng_harvest *q)
{
	__atomic_fetch_add(&q->dropped, 1, __ATOMIC_RELAXED);
	return false;
}

/* True when the whole event is in the cell. */
static bool write_cell(struct cprng_harvest_cell *cell, const struct cprng_event *event, uint32_t number)
{
	uint32_t state = CPRNG_CELL_EMPTY, writing = number << 2 | CPRNG_CELL_WRITING;

	if (!__atomic_compare_exchange_n(&cell->state, &state, writing, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	cell->event = *event;
	/* The rest of the payload is memory of the caller that is not part of the event. */
	memset(cell->event.payload + event->len, 0, CPRNG_EVENT_MAX - event->len);
	if (__atomic_compare_exchange_n(&cell->state, &writing, CPRNG_CELL_FULL, false, __ATOMIC_RELEASE,
					__ATOMIC_RELAXED))
		return true;
	/* A signal handler forked in the middle, and this is the child, where the queue is wiped: the event is incomplete. */
	cprng_wipe(&cell->event, sizeof(cell->event));
	return false;
}

/*
 * A producer takes a number, which selects its cell.
 *
 * Race: two producers with numbers of the same cell, a whole ring apart.  The exchange of the cell's state from EMPTY lets
 * one of them write; the other drops its event.  So does a producer whose cell was never emptied, or never finished.
 * Pairing: a release store publishes FULL after the event, and the sweep loads the state with acquire before it.
 */
bool cprng_harvest_put_claimed(struct cprng_harvest *q, const struct cprng_event *event, struct cprng_claim *claims)
{
	const uint32_t number = __atomic_fetch_add(&q->tail, 1, __ATOMIC_RELAXED), i = number % CPRNG_HARVEST_CELLS;
	bool done;

	if (claims != NULL && !cprng_claim_try(&claims[i], 1))
		return drop(q);
	done = write_cell(&q->cell[i], event, number);
	if (claims != NULL)
		cprng_claim_release(&claims[i]);
	if (!done)
		return drop(q);
	/* A sweep that passed the cell meanwhile has not seen the event: set the hint again. */
	if ((int32_t)(__atomic_load_n(&q->drained, __ATOMIC_RELAXED) - number) > 0)
		__atomic_store_n(&q->drained, number, __ATOMIC_RELAXED);
	return true;
}

/* Once around the ring, from the first number after the last sweep: its cell has the oldest event. */
size_t cprng_harvest_sweep(struct cprng_harvest *q, void (*take)(void *arg, const struct cprng_event *event), void *arg)
{
	const uint32_t tail = __atomic_load_n(&q->tail, __ATOMIC_RELAXED), begin = q->swept;
	size_t taken = 0;

	/* Before the loads of the cells: a producer that takes a number after this leaves the hint set. */
	__atomic_store_n(&q->drained, tail, __ATOMIC_RELAXED);
	q->swept = tail;
	for (uint32_t i = 0; i < CPRNG_HARVEST_CELLS; i++) {
		struct cprng_harvest_cell *cell = &q->cell[(begin + i) % CPRNG_HARVEST_CELLS];

		if (__atomic_load_n(&cell->state, __ATOMIC_ACQUIRE) != CPRNG_CELL_FULL)
			continue;
		take(arg, &cell->event);
		taken++;
		cprng_wipe(&cell->event, sizeof(cell->event));
		__atomic_store_n(&cell->state, CPRNG_CELL_EMPTY, __ATOMIC_RELEASE);
	}
	return taken;
}
