/* SPDX-License-Identifier: BSD-2-Clause */
#include "fortuna/fortuna.h"

#include "core/wipe.h"

static void lock(const struct cprng_fortuna_core *f, enum cprng_fortuna_lock which, struct cprng_lock_token *token)
{
	f->port->lock(f->arg, which, token);
}

static bool try_lock(const struct cprng_fortuna_core *f, enum cprng_fortuna_lock which, struct cprng_lock_token *token)
{
	return f->port->try_lock(f->arg, which, token);
}

enum patience { WAIT, TRY };

static bool get_lock(const struct cprng_fortuna_core *f, enum cprng_fortuna_lock which, struct cprng_lock_token *token,
		     enum patience patience)
{
	if (patience == TRY)
		return try_lock(f, which, token);
	lock(f, which, token);
	return true;
}

static void unlock(const struct cprng_fortuna_core *f, enum cprng_fortuna_lock which,
		   const struct cprng_lock_token *token)
{
	f->port->unlock(f->arg, which, token);
}

void cprng_fortuna_core_start(const struct cprng_fortuna_core *f)
{
	if (f->state->accumulator.pool_min != 0)
		return;
	cprng_generator_init(&f->state->generator, f->engine, f->backend);
	cprng_accumulator_init(&f->state->accumulator, f->pool_min);
}

int cprng_fortuna_core_put(const struct cprng_fortuna_core *f, const struct cprng_event *event)
{
	return cprng_harvest_put_claimed(&f->state->harvest, event, f->cell_claim) ? CPRNG_FORTUNA_OK :
										     CPRNG_FORTUNA_FULL;
}

/* ----------------------------------------------------------------------------------------------- pools and reseed */

static void deal(void *arg, const struct cprng_event *event)
{
	cprng_accumulator_add((struct cprng_accumulator *)arg, event);
}

/*
 * With the lock of the pools.  That of the generator is held for what becomes of the pools and for the hash of key and
 * seed; who cannot have it at once leaves the reseed, which stays due, to the next one.
 */
static void reseed_if_due(const struct cprng_fortuna_core *f, enum patience patience)
{
	struct cprng_accumulator *const a = &f->state->accumulator;
	const uint64_t now = f->port->now(f->arg);
	struct cprng_lock_token token;
	size_t len;

	if (!cprng_accumulator_due(a, now))
		return;
	if (patience == WAIT) {
		/* Readers go on while the pools are hashed. */
		len = cprng_accumulator_take(a, now);
		lock(f, CPRNG_LOCK_GENERATOR, &token);
	} else {
		if (!try_lock(f, CPRNG_LOCK_GENERATOR, &token))
			return;
		len = cprng_accumulator_take(a, now);
	}
	cprng_generator_reseed(&f->state->generator, a->seed, len);
	unlock(f, CPRNG_LOCK_GENERATOR, &token);
	cprng_wipe(a->seed, len);
}

static size_t drain_locked(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count,
			   enum patience patience)
{
	const size_t taken = cprng_harvest_sweep(&f->state->harvest, deal, &f->state->accumulator);

	for (size_t i = 0; i < count; i++)
		cprng_accumulator_add(&f->state->accumulator, &events[i]);
	reseed_if_due(f, patience);
	return taken;
}

static bool deal_events(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count,
			enum patience patience, size_t *taken)
{
	struct cprng_lock_token token;

	*taken = 0;
	if (!get_lock(f, CPRNG_LOCK_POOLS, &token, patience))
		return false;
	*taken = drain_locked(f, events, count, patience);
	unlock(f, CPRNG_LOCK_POOLS, &token);
	return true;
}

size_t cprng_fortuna_core_drain(const struct cprng_fortuna_core *f)
{
	size_t taken;

	(void)deal_events(f, NULL, 0, TRY, &taken);
	return taken;
}

void cprng_fortuna_core_add_events(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count)
{
	size_t taken;

	(void)deal_events(f, events, count, WAIT, &taken);
}

bool cprng_fortuna_core_try_add_events(const struct cprng_fortuna_core *f, const struct cprng_event *events, size_t count)
{
	size_t taken;

	return deal_events(f, events, count, TRY, &taken);
}

static bool mix_in(const struct cprng_fortuna_core *f, const void *seed, size_t len, enum patience patience)
{
	struct cprng_lock_token token;

	if (!get_lock(f, CPRNG_LOCK_GENERATOR, &token, patience))
		return false;
	/* A state that a fork has wiped since it was started stays unseeded. */
	if (f->state->generator.engine != NULL)
		cprng_generator_reseed(&f->state->generator, seed, len);
	unlock(f, CPRNG_LOCK_GENERATOR, &token);
	return true;
}

void cprng_fortuna_core_seed(const struct cprng_fortuna_core *f, const void *seed, size_t len)
{
	(void)mix_in(f, seed, len, WAIT);
}

bool cprng_fortuna_core_try_seed(const struct cprng_fortuna_core *f, const void *seed, size_t len)
{
	return mix_in(f, seed, len, TRY);
}

/* ---------------------------------------------------------------------------------------------------------- reads
 *
 * Canonical, a reader generates under the lock; concurrent, it only steps the generator there.  Both leave the same
 * state, because expanding a lease touches nothing that is shared.  Two readers, A of m bytes and B of n, at
 * (key, counter) = (K0, C0); next(K, C, n) is what a step makes of them for n bytes:
 *
 *     canonical                                   concurrent
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
 * The column on the right has the same steps in the same order of locking, so the same keys, the same counters and the
 * same bytes for each of them.  (K0, C0) is leased once: no other reader can have any of its blocks, nor can K0 be had
 * from K1, which is keystream of K0 that nobody was given.  A reader that still expands does hold K0, from which the keys
 * after it follow until the next reseed, as whoever reads under the lock does; the lease is wiped with its last byte.
 *
 * A read of several pieces (AES, more than 1 MiB) takes the lock for each of them, so the key sequence is that of the
 * pieces in the order in which they came to the lock: with one reader the canonical one, with several an interleaving of
 * theirs, where the canonical order has all pieces of one reader together.  The lock is held for a step, whatever the
 * length of the read.
 */

/* Larger than a second-level cache: see CPRNG_STREAMING. */
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

/* With the lock: a lease on the next piece, whose length it returns; 0 when there is no output yet. */
static size_t take_piece(struct reader *r)
{
	struct cprng_generator *const g = &r->f->state->generator;
	size_t n = r->left;

	if (!cprng_generator_seeded(g))
		return 0;
	if (n > cprng_generator_piece_max(g))
		n = cprng_generator_piece_max(g);
	cprng_generator_step(g, n, &r->lease);
	return n;
}

static void fill_piece(struct reader *r, size_t n)
{
	cprng_lease_expand(&r->lease, r->out, n, r->flags);
	r->out += n;
	r->left -= n;
}

static int read_concurrent(struct reader *r)
{
	uint8_t *const begin = r->out;
	struct cprng_lock_token token;
	size_t n;

	while (r->left != 0) {
		lock(r->f, CPRNG_LOCK_GENERATOR, &token);
		n = take_piece(r);
		unlock(r->f, CPRNG_LOCK_GENERATOR, &token);
		if (n == 0) {
			/* In a child that was forked in the middle: the parent has the pieces so far. */
			cprng_wipe(begin, (size_t)(r->out - begin));
			return CPRNG_FORTUNA_UNSEEDED;
		}
		fill_piece(r, n);
	}
	return CPRNG_FORTUNA_OK;
}

static int read_canonical(struct reader *r)
{
	uint8_t *const begin = r->out;
	struct cprng_lock_token token;
	size_t n = 1;

	if (r->left == 0)
		return CPRNG_FORTUNA_OK;
	lock(r->f, CPRNG_LOCK_GENERATOR, &token);
	while (r->left != 0 && n != 0) {
		n = take_piece(r);
		if (n != 0)
			fill_piece(r, n);
	}
	unlock(r->f, CPRNG_LOCK_GENERATOR, &token);
	if (n != 0)
		return CPRNG_FORTUNA_OK;
	/* As in read_concurrent(). */
	cprng_wipe(begin, (size_t)(r->out - begin));
	return CPRNG_FORTUNA_UNSEEDED;
}

/* Has somebody to look after the pools?  Without a lock: a wrong answer costs a reader one look, or one turn. */
static bool pools_want_care(const struct cprng_fortuna_core *f)
{
	const struct cprng_accumulator *const a = &f->state->accumulator;

	if (cprng_harvest_waiting(&f->state->harvest))
		return true;
	if (__atomic_load_n(&a->pool[0].credit, __ATOMIC_RELAXED) < 8 * (uint64_t)f->pool_min)
		return false;
	/* Also true when the clock was set back. */
	return f->port->now(f->arg) - __atomic_load_n(&a->last_reseed, __ATOMIC_RELAXED) >= CPRNG_RESEED_INTERVAL_NS;
}

static int read_pieces(const struct cprng_fortuna_core *f, void *buf, size_t len)
{
	struct reader r = { .f = f, .out = (uint8_t *)buf, .left = len, .flags = streaming(len) };

	return __atomic_load_n(&f->concurrent, __ATOMIC_RELAXED) != 0 ? read_concurrent(&r) : read_canonical(&r);
}

int cprng_fortuna_core_read(const struct cprng_fortuna_core *f, void *buf, size_t len)
{
	int status;

	if (pools_want_care(f))
		cprng_fortuna_core_drain(f);
	status = read_pieces(f, buf, len);
	if (status == CPRNG_FORTUNA_UNSEEDED) {
		/* Somebody may be on the way with the first seed. */
		cprng_fortuna_core_add_events(f, NULL, 0);
		status = read_pieces(f, buf, len);
	}
	return status;
}

bool cprng_fortuna_core_try_read(const struct cprng_fortuna_core *f, void *buf, size_t len)
{
	struct reader r = { .f = f, .out = (uint8_t *)buf, .left = len };
	struct cprng_lock_token token;
	size_t n;

	if (len == 0 || !try_lock(f, CPRNG_LOCK_GENERATOR, &token))
		return false;
	n = take_piece(&r);
	unlock(f, CPRNG_LOCK_GENERATOR, &token);
	if (n != 0)
		fill_piece(&r, n);
	return n != 0 && r.left == 0;
}
