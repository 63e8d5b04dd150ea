/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/fortuna.h"

#include "core/wipe.h"

/* False only with CPRNG_NOWAIT: the lock is taken. */
static bool fortuna_lock(const struct cprng_fortuna_core *f, enum cprng_fortuna_lock which, uint64_t token[2],
			 enum cprng_wait wait)
{
	/* A lock need not store a token. */
	token[0] = token[1] = 0;
	if (wait == CPRNG_NOWAIT)
		return f->port->try_lock(f->arg, which, token) != 0;
	f->port->lock(f->arg, which, token);
	return true;
}

static void unlock(const struct cprng_fortuna_core *f, enum cprng_fortuna_lock which, const uint64_t token[2])
{
	f->port->unlock(f->arg, which, token);
}

void cprng_fortuna_core_start(const struct cprng_fortuna_core *f)
{
	if (f->state->accumulator.pool_min != 0)
		return;
	cprng_generator_init(&f->state->generator, f->engine, f->backend);
	cprng_accumulator_init(&f->state->accumulator, f->pool_min);
	f->state->accumulator.urgent_source = f->urgent_source;
	if (f->claims != NULL)
		cprng_harvest_release_lost(&f->state->harvest, f->claims);
}

/*
 * Event:    an invalidation while other callers hold the locks, or events wait in the queue.
 * Reason:   events from before it must not be used after it, and events from after it must not be lost.
 * Pairing:  every holder of a lock first compares the epoch and empties what belongs to an older one (renew_pools,
 *           renew_generator); sweeps take only events of the pools' epoch; pools reseed only a generator of their epoch.
 */
void cprng_fortuna_core_invalidate(const struct cprng_fortuna_core *f)
{
	cprng_harvest_invalidate(&f->state->harvest);
}

/* The caller holds the pools' lock.  No effect on pools that are not started, or that a fork has wiped. */
static void renew_pools(const struct cprng_fortuna_core *f)
{
	struct cprng_accumulator *const a = &f->state->accumulator;

	if (CPRNG_UNLIKELY(cprng_harvest_renew(&f->state->harvest)) && a->pool_min != 0)
		cprng_accumulator_empty(a);
}

/* The same for the generator, under its lock. */
static void renew_generator(const struct cprng_fortuna_core *f)
{
	struct cprng_fortuna_state *const s = f->state;
	const uint32_t epoch = __atomic_load_n(&s->harvest.epoch, __ATOMIC_SEQ_CST);

	if (CPRNG_LIKELY(s->generator_epoch == epoch))
		return;
	s->generator_epoch = epoch;
	if (s->generator.engine != NULL)
		cprng_generator_init(&s->generator, f->engine, f->backend);
}

int cprng_fortuna_core_put(const struct cprng_fortuna_core *f, const struct cprng_event *event)
{
	return cprng_harvest_put(&f->state->harvest, event, f->claims) ? CPRNG_FORTUNA_OK : CPRNG_FORTUNA_FULL;
}

/* ----------------------------------------------------------------------------------------------- pools and reseed */

static void add_event(void *arg, const struct cprng_event *event)
{
	cprng_accumulator_add((struct cprng_accumulator *)arg, event);
}

/*
 * RandomData's reseed.  The caller holds the pools' lock; the generator's lock is held for the hash of K and seed.  If it is
 * taken and the caller does not wait, the reseed stays due, and the pools keep their content.
 */
static void reseed_if_due(const struct cprng_fortuna_core *f, enum cprng_wait wait)
{
	struct cprng_accumulator *const a = &f->state->accumulator;
	const uint64_t now = f->port->now(f->arg);
	uint64_t token[2];
	size_t len;

	if (!cprng_accumulator_due(a, now))
		return;
	if (wait == CPRNG_WAIT) {
		/* Before the lock, so that readers need not wait while the pools are hashed. */
		len = cprng_accumulator_take(a, now);
		(void)fortuna_lock(f, CPRNG_LOCK_GENERATOR, token, CPRNG_WAIT);
	} else {
		if (!fortuna_lock(f, CPRNG_LOCK_GENERATOR, token, CPRNG_NOWAIT))
			return;
		len = cprng_accumulator_take(a, now);
	}
	renew_generator(f);
	/* Otherwise the pools are from before an invalidation, and the next drain empties them. */
	if (CPRNG_LIKELY(f->state->generator_epoch == f->state->harvest.renewed))
		cprng_generator_reseed(&f->state->generator, a->seed, len);
	unlock(f, CPRNG_LOCK_GENERATOR, token);
	cprng_wipe(a->seed, len);
}

/* False, and nothing done, if the pools' lock is taken; otherwise *taken is the number of events from the queue. */
static bool add_events(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count,
		       enum cprng_wait wait, size_t *taken)
{
	struct cprng_accumulator *const a = &f->state->accumulator;
	uint64_t token[2];

	*taken = 0;
	if (!fortuna_lock(f, CPRNG_LOCK_POOLS, token, wait))
		return false;
	renew_pools(f);
	/* A sweep examines every cell, which costs too much for a caller that adds one event at a time. */
	if (cprng_harvest_waiting(&f->state->harvest))
		*taken = cprng_harvest_sweep(&f->state->harvest, add_event, a);
	for (size_t i = 0; i < count; i++)
		cprng_accumulator_add(a, &events[i]);
	reseed_if_due(f, wait);
	unlock(f, CPRNG_LOCK_POOLS, token);
	return true;
}

size_t cprng_fortuna_core_drain(const struct cprng_fortuna_core *f)
{
	size_t taken;

	(void)add_events(f, NULL, 0, CPRNG_NOWAIT, &taken);
	return taken;
}

bool cprng_fortuna_core_add_events(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count,
				   enum cprng_wait wait)
{
	size_t taken;

	return add_events(f, events, count, wait, &taken);
}

bool cprng_fortuna_core_seed(const struct cprng_fortuna_core *f, const void *seed, size_t len, enum cprng_wait wait)
{
	uint64_t token[2];

	if (!fortuna_lock(f, CPRNG_LOCK_GENERATOR, token, wait))
		return false;
	renew_generator(f);
	/* A state that a fork has wiped after its start stays unseeded. */
	if (f->state->generator.engine != NULL)
		cprng_generator_reseed(&f->state->generator, seed, len);
	unlock(f, CPRNG_LOCK_GENERATOR, token);
	return true;
}

void cprng_fortuna_core_count(const struct cprng_fortuna_core *f, struct cprng_fortuna_counts *counts)
{
	uint64_t pools[2], generator[2];

	(void)fortuna_lock(f, CPRNG_LOCK_POOLS, pools, CPRNG_WAIT);
	renew_pools(f);
	counts->reseeds = f->state->accumulator.reseeds;
	counts->events = f->state->accumulator.events;
	(void)fortuna_lock(f, CPRNG_LOCK_GENERATOR, generator, CPRNG_WAIT);
	renew_generator(f);
	counts->seeded = cprng_generator_seeded(&f->state->generator);
	unlock(f, CPRNG_LOCK_GENERATOR, generator);
	unlock(f, CPRNG_LOCK_POOLS, pools);
}

/* ---------------------------------------------------------------------------------------------------------- reads
 *
 * A locked read generates under the lock; a concurrent read only steps the generator there.  Both leave the same state,
 * because expanding a lease touches nothing that is shared.  Two readers, A of m bytes and B of n, at
 * (key, counter) = (K0, C0); next(K, C, n) is what a step makes of them for n bytes:
 *
 *     locked                                      concurrent
 *     A: lock                                     A: lock
 *     A: lease (K0, C0); next(K0, C0, m)          A: lease (K0, C0); next(K0, C0, m)   -> (K1, C1)
 *     A: expand m bytes of (K0, C0)               A: unlock
 *     A: unlock                -> (K1, C1)        B: lock
 *     B: lock                                     A: expand some bytes of (K0, C0)
 *     B: lease (K1, C1); next(K1, C1, n)          B: lease (K1, C1); next(K1, C1, n)   -> (K2, C2)
 *     B: expand n bytes of (K1, C1)               B: unlock
 *     B: unlock                -> (K2, C2)        B: expand n bytes of (K1, C1)
 *                                                 A: expand the rest of (K0, C0)
 *
 * The column on the right has the same steps in the same order of locking, so each reader gets the same key, counter and
 * bytes.  (Where the port has `apart`, a number moves C before each lease, and the steps stay the same.)
 * (K0, C0) is leased once: no other reader gets any of its blocks.  K1 is keystream of K0 that is given to no
 * reader, and does not reveal K0.  A reader that still expands holds K0, which determines all keys until the next reseed;
 * so does a reader under the lock.  The lease is wiped with its last byte.
 *
 * A read of several pieces takes the lock for each of them, so the sequence of keys follows the order in which pieces took the
 * lock.  A locked piece has at most CPRNG_LOCKED_PIECE_MAX bytes, so that other readers do not wait for a long read; a concurrent
 * one is as long as the cipher allows (AES: 1 MiB), since the lock is held for a step whatever the length.  So the two modes give
 * the same bytes up to CPRNG_LOCKED_PIECE_MAX.  A longer locked read is the same as a sequence of reads of that length: other
 * bytes, with a new key for each.
 */

static unsigned int streaming(size_t len)
{
	return len >= CPRNG_STREAMING_MIN ? CPRNG_STREAMING : 0;
}

struct reader {
	const struct cprng_fortuna_core *f;
	uint8_t *out;
	size_t left;
	unsigned int flags;
	struct cprng_lease lease;
};

/* Before the lock: an instruction for random numbers can take a microsecond. */
static uint64_t number_for_piece(const struct reader *r)
{
	return r->f->port->apart != NULL ? r->f->port->apart(r->f->arg) : 0;
}

/*
 * The caller holds the generator's lock.  Lease the next piece of at most `most` bytes, and return its length; 0 when there is no
 * output yet.
 */
static size_t take_piece(struct reader *r, size_t most, uint64_t number)
{
	struct cprng_generator *const g = &r->f->state->generator;
	size_t n = r->left < most ? r->left : most;

	renew_generator(r->f);
	if (!cprng_generator_seeded(g))
		return 0;
	if (n > cprng_generator_piece_max(g))
		n = cprng_generator_piece_max(g);
	cprng_generator_move(g, number);
	cprng_generator_step(g, n, &r->lease);
	return n;
}

static void fill_piece(struct reader *r, size_t n)
{
	if (n == 0)
		return;
	cprng_lease_expand(&r->lease, r->out, n, r->flags);
	r->out += n;
	r->left -= n;
}

/*
 * Every piece has its own key.  So between two pieces, while other readers may have the lock, neither the generator nor the reader
 * holds anything that reveals an earlier piece.
 */
static int read_pieces(struct reader *r, bool locked, enum cprng_wait wait)
{
	const size_t most = locked ? CPRNG_LOCKED_PIECE_MAX : SIZE_MAX;
	uint8_t *const begin = r->out;
	uint64_t token[2], number = 0;

	while (r->left != 0) {
		int status = CPRNG_FORTUNA_BUSY;
		size_t n = 0;

		/* One number for all pieces of a locked read: copies diverge at the first one. */
		if (!locked || r->out == begin)
			number = number_for_piece(r);
		if (fortuna_lock(r->f, CPRNG_LOCK_GENERATOR, token, wait)) {
			n = take_piece(r, most, number);
			if (locked)
				fill_piece(r, n);
			unlock(r->f, CPRNG_LOCK_GENERATOR, token);
			status = CPRNG_FORTUNA_UNSEEDED;
		}
		if (n == 0) {
			/* Invalidated, or a child that was forked in between, whose parent has the same pieces up to now. */
			cprng_wipe(begin, (size_t)(r->out - begin));
			return status;
		}
		if (!locked)
			fill_piece(r, n);
	}
	return CPRNG_FORTUNA_OK;
}

/* Are there events for the pools, or is a reseed due?  Takes no lock: a wrong answer only costs or delays a drain. */
static bool is_drain_due(const struct cprng_fortuna_core *f)
{
	const struct cprng_accumulator *const a = &f->state->accumulator;

	if (cprng_harvest_waiting(&f->state->harvest))
		return true;
	if (__atomic_load_n(&a->pool[0].entropy_bits, __ATOMIC_RELAXED) < 8 * (uint64_t)f->pool_min)
		return false;
	/* Also true when the clock was set back. */
	return f->port->now(f->arg) - __atomic_load_n(&a->last_reseed, __ATOMIC_RELAXED) >= CPRNG_RESEED_INTERVAL_NS;
}

static int read_whole(const struct cprng_fortuna_core *f, void *buf, size_t len, enum cprng_wait wait)
{
	struct reader r = { .f = f, .out = (uint8_t *)buf, .left = len, .flags = streaming(len) };

	/* A caller that does not wait may have interrupts disabled, so it holds the lock only for a step. */
	return read_pieces(&r, wait == CPRNG_WAIT && __atomic_load_n(&f->locked_reads, __ATOMIC_RELAXED) != 0, wait);
}

CPRNG_NOINLINE int cprng_fortuna_core_read(const struct cprng_fortuna_core *f, void *buf, size_t len,
					   enum cprng_wait wait)
{
	int status;

	if (wait == CPRNG_WAIT && is_drain_due(f))
		cprng_fortuna_core_drain(f);
	status = read_whole(f, buf, len, wait);
	if (wait == CPRNG_WAIT && status == CPRNG_FORTUNA_UNSEEDED) {
		/* Another thread may hold the pools' lock, and be about to make the first reseed. */
		(void)cprng_fortuna_core_add_events(f, NULL, 0, CPRNG_WAIT);
		status = read_whole(f, buf, len, CPRNG_WAIT);
	}
	return status;
}
