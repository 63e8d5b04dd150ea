/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/harvest.h"

#include "core/wipe.h"

_Static_assert((CPRNG_HARVEST_CELLS & (CPRNG_HARVEST_CELLS - 1)) == 0, "the numbers of cells wrap with 2^32");

/*
 * A claim is a number, and a number has a cell.  The exchange of its state decides who writes: a producer that comes
 * round the ring to a cell that has not been emptied (or that its writer never finished) drops its event.
 */
bool cprng_harvest_put(struct cprng_harvest *q, const struct cprng_event *event)
{
	const uint32_t claim = __atomic_fetch_add(&q->tail, 1, __ATOMIC_RELAXED);
	struct cprng_harvest_cell *cell = &q->cell[claim % CPRNG_HARVEST_CELLS];
	uint32_t state = CPRNG_CELL_EMPTY, writing = claim << 2 | CPRNG_CELL_WRITING;

	if (!__atomic_compare_exchange_n(&cell->state, &state, writing, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(&q->dropped, 1, __ATOMIC_RELAXED);
		return false;
	}
	cell->event = *event;
	/* No more of the payload than there is: the rest is the caller's own. */
	memset(cell->event.payload + event->len, 0, CPRNG_EVENT_MAX - event->len);
	/*
	 * If the queue was wiped meanwhile (a signal handler forked, and this is the child), a part of this event is missing, and
	 * the cell may hold one that the handler has put: an event of zeros, without credit, is all that may stay there.
	 */
	if (!__atomic_compare_exchange_n(&cell->state, &writing, CPRNG_CELL_FULL, false, __ATOMIC_RELEASE,
					 __ATOMIC_RELAXED)) {
		cprng_wipe(&cell->event, sizeof(cell->event));
		__atomic_fetch_add(&q->dropped, 1, __ATOMIC_RELAXED);
		return false;
	}
	/* A sweep that came by meanwhile has not seen it: turn the hint on again. */
	if ((int32_t)(__atomic_load_n(&q->drained, __ATOMIC_RELAXED) - claim) > 0)
		__atomic_store_n(&q->drained, claim, __ATOMIC_RELAXED);
	return true;
}

/* Once around, from the cell of the first claim after the last sweep, which is the oldest: later ones may have met it full. */
size_t cprng_harvest_sweep(struct cprng_harvest *q, void (*take)(void *arg, const struct cprng_event *event), void *arg)
{
	const uint32_t tail = __atomic_load_n(&q->tail, __ATOMIC_RELAXED), begin = q->swept;
	size_t taken = 0;

	/* Before the look at the cells: a claim that comes meanwhile leaves the hint on. */
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
