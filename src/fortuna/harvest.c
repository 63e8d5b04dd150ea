/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/harvest.h"

#include "core/wipe.h"

_Static_assert((CPRNG_HARVEST_CELLS & (CPRNG_HARVEST_CELLS - 1)) == 0, "the numbers of cells wrap with 2^32");

static bool drop(struct cprng_harvest *q)
{
	__atomic_fetch_add(&q->dropped, 1, __ATOMIC_RELAXED);
	return false;
}

/*
 * A claim names its process and its thread: bit 31, 15 bits of the process's number, 16 bits that stand for the thread.
 * Two threads, or two processes, that share these bits are taken for one, which keeps a cell claimed that might be freed.
 */
#define CLAIM_OF_PROCESS 0x7fff0000u
#define CLAIM_OF_THREAD 0xffffu

/*
 * Event:    two threads are the first of a process here; or one of them forks before the last store.
 * Reason:   a process has one number, and a child with its own number frees the claims of its parent's threads.
 * Pairing:  the exchange lets one thread store the number, which is the same for both.  A child that was forked before the
 *           last store has its parent's number, and frees nothing.
 */
static uint32_t number_of_process(struct cprng_harvest *q, struct cprng_harvest_claims *claims)
{
	uint32_t process = __atomic_load_n(&q->process, __ATOMIC_RELAXED), next;

	if (CPRNG_LIKELY(process != 0))
		return process;
	next = __atomic_load_n(&claims->process, __ATOMIC_RELAXED) + 1;
	next += next == 0;
	if (!__atomic_compare_exchange_n(&q->process, &process, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		next = process;
	__atomic_store_n(&claims->process, next, __ATOMIC_RELAXED);
	return next;
}

uint32_t cprng_harvest_claimant(struct cprng_harvest *q, struct cprng_harvest_claims *claims)
{
	/* Numbers of threads are addresses, which differ in few bits: a multiplication mixes them into the upper ones. */
	const uint32_t thread = (uint32_t)claims->this_thread() * 0x9e3779b1u >> 16;

	return 1u << 31 | (number_of_process(q, claims) << 16 & CLAIM_OF_PROCESS) | thread;
}

/*
 * Event:    the parent forks while other threads of it have cells, and those threads do not exist in the child.
 * Reason:   their cells would stay claimed; but a claim may also belong to an operation that continues in the child: one of
 *           the thread that forked, in a handler, or of a thread of the child itself.
 * Pairing:  the caller is the thread that forked, and every claim of this process has its number.  So a claim with
 *           another number and another thread belongs to no operation here.
 */
void cprng_harvest_release_lost(struct cprng_harvest *q, struct cprng_harvest_claims *claims)
{
	const uint32_t mine = cprng_harvest_claimant(q, claims);
	bool asked = false;

	for (uint32_t i = 0; i < CPRNG_HARVEST_CELLS; i++) {
		const uint32_t owner = __atomic_load_n(&claims->cell[i].taken, __ATOMIC_RELAXED);

		if (owner == 0 || ((owner ^ mine) & CLAIM_OF_PROCESS) == 0 || ((owner ^ mine) & CLAIM_OF_THREAD) == 0)
			continue;
		if (!asked && !claims->is_first_thread())
			return;
		asked = true;
		(void)cprng_claim_replace(&claims->cell[i], owner, 0);
	}
}

/* Return true if the complete event is in the cell. */
static bool write_cell(struct cprng_harvest *q, const struct cprng_event *event, uint32_t number)
{
	struct cprng_harvest_cell *const cell = &q->cell[number % CPRNG_HARVEST_CELLS];
	uint32_t state = CPRNG_CELL_EMPTY, writing = number << 2 | CPRNG_CELL_WRITING, epoch;

	if (!__atomic_compare_exchange_n(&cell->state, &state, writing, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	/* Before the event: an invalidation in between makes it an old one.  After the state: a fork in between wipes both. */
	epoch = __atomic_load_n(&q->epoch, __ATOMIC_RELAXED);
	cell->event = *event;
	/* The rest of the payload is memory of the caller that is not part of the event. */
	memset(cell->event.payload + event->len, 0, CPRNG_EVENT_MAX - event->len);
	if (__atomic_compare_exchange_n(&cell->state, &writing, epoch << 2 | CPRNG_CELL_FULL, false, __ATOMIC_RELEASE,
					__ATOMIC_RELAXED))
		return true;
	/* A signal handler forked in the middle, and this is the child, where the queue is wiped: the event is incomplete. */
	cprng_wipe(&cell->event, sizeof(cell->event));
	return false;
}

/*
 * A producer takes a number, which selects its cell.
 *
 * Event:    two producers have numbers of the same cell, a whole ring apart; or a sweep reads the cell meanwhile.
 * Reason:   both would write to the cell; or the sweep would take half an event.
 * Pairing:  the exchange of the cell's state from EMPTY lets one producer write, and the other drops its event; so does a
 *           producer whose cell was never emptied, or never finished.  A release store publishes FULL after the event, and
 *           the sweep loads the state with acquire before it.
 */
bool cprng_harvest_put(struct cprng_harvest *q, const struct cprng_event *event, struct cprng_harvest_claims *claims)
{
	const uint32_t number = __atomic_fetch_add(&q->tail, 1, __ATOMIC_RELAXED), i = number % CPRNG_HARVEST_CELLS;
	bool done;

	if (claims != NULL && !cprng_claim_try(&claims->cell[i], cprng_harvest_claimant(q, claims)))
		return drop(q);
	done = write_cell(q, event, number);
	if (claims != NULL)
		cprng_claim_release(&claims->cell[i]);
	if (!done)
		return drop(q);
	/* A sweep that passed the cell meanwhile has not seen the event: set the hint again.  The fence pairs with the sweep's. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if ((int32_t)(__atomic_load_n(&q->drained, __ATOMIC_RELAXED) - number) > 0)
		__atomic_store_n(&q->drained, number, __ATOMIC_RELAXED);
	return true;
}

bool cprng_harvest_renew(struct cprng_harvest *q)
{
	const uint32_t epoch = __atomic_load_n(&q->epoch, __ATOMIC_SEQ_CST);

	if (CPRNG_LIKELY(q->renewed == epoch))
		return false;
	q->renewed = epoch;
	return true;
}

/* Once around the ring, from the first number after the last sweep: its cell has the oldest event. */
size_t cprng_harvest_sweep(struct cprng_harvest *q, void (*take)(void *arg, const struct cprng_event *event), void *arg)
{
	const uint32_t tail = __atomic_load_n(&q->tail, __ATOMIC_RELAXED), begin = q->swept;
	size_t taken = 0;

	/*
	 * Before the loads of the cells, which the fence keeps behind it: a producer that takes a number after this leaves the hint
	 * set, and one whose cell is not yet full sees the store.
	 */
	__atomic_store_n(&q->drained, tail, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	q->swept = tail;
	for (uint32_t i = 0; i < CPRNG_HARVEST_CELLS; i++) {
		struct cprng_harvest_cell *cell = &q->cell[(begin + i) % CPRNG_HARVEST_CELLS];
		const uint32_t state = __atomic_load_n(&cell->state, __ATOMIC_ACQUIRE);
		const uint32_t epochs = (q->renewed << 2) - (state & ~3u);

		/* The event is incomplete; its producer will set the hint again. */
		if ((state & 3) != CPRNG_CELL_FULL)
			continue;
		/* The event belongs to a newer epoch. */
		if (epochs > UINT32_MAX / 2) {
			__atomic_store_n(&q->drained, tail - 1, __ATOMIC_RELAXED);
			continue;
		}
		if (epochs == 0) {
			take(arg, &cell->event);
			taken++;
		}
		cprng_wipe(&cell->event, sizeof(cell->event));
		__atomic_store_n(&cell->state, CPRNG_CELL_EMPTY, __ATOMIC_RELEASE);
	}
	return taken;
}
