/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/process_fortuna.h"

#include "core/bytes.h"
#include "core/wipe.h"
#include "core/wipe_stack.h"
#include "process/fortuna_object.h"
#include "process/generation.h"
#include "process/kernel_bytes.h"
#include "process/lengths.h"
#include "process/vm_clone.h"

/* Sources are polled by reads, as often as pools may be drained. */
#define POLL_INTERVAL_NS CPRNG_RESEED_INTERVAL_NS

/* After a pause of this length a reader waits for a poll: recovery is promised within a second. */
#define PAUSE_NS UINT64_C(1000000000)

/*
 * The entry points below block signals, from before the first lock until the last key is out of registers and stack: a
 * handler could fork there or jump away, and the kernel would write the registers to the stack for it.
 *
 * Synchronous signals stay unblocked (cprng_os_block_signals): their handler may have to map the page that a read writes
 * to, or to emulate a system call.  cprng_touch_pages() makes it run before there is a key, as a rule.  A handler that
 * runs while its own thread holds a lock of Fortuna reads from the kernel instead.  Returns whether the thread does.
 */
static bool is_inside(const struct cprng_process_fortuna *s)
{
	bool inside = cprng_lock_is_mine(&s->poll_lock);

	for (size_t i = 0; i < CPRNG_LOCKS; i++)
		inside |= cprng_lock_is_mine(&s->lock[i]);
	return inside;
}

static void port_lock(void *arg, int which, uint64_t token[2])
{
	(void)token;
	cprng_lock_take(&((struct cprng_process_fortuna *)arg)->lock[which]);
}

static int port_try_lock(void *arg, int which, uint64_t token[2])
{
	(void)token;
	return cprng_lock_try(&((struct cprng_process_fortuna *)arg)->lock[which]);
}

static void port_unlock(void *arg, int which, const uint64_t token[2])
{
	(void)token;
	cprng_lock_release(&((struct cprng_process_fortuna *)arg)->lock[which]);
}

static uint64_t port_now(void *arg)
{
	return cprng_clock_or_count(&((struct cprng_process_fortuna *)arg)->looks);
}

/* Two unannounced copies of the process have the same state until their polls differ, up to 200 ms later. */
static uint64_t port_apart(void *arg)
{
	(void)arg;
	return cprng_copy_number();
}

static const struct cprng_fortuna_port port = {
	.lock = port_lock,
	.try_lock = port_try_lock,
	.unlock = port_unlock,
	.now = port_now,
	.apart = port_apart,
};

void cprng_strong_set_up(struct cprng_process *p, struct cprng_process_fortuna *memory)
{
	p->strong = memory;
	cprng_fortuna_claims_set_up(&p->fortuna_claims);
	p->fortuna = (struct cprng_fortuna_core){
		.state = &memory->state,
		.port = &port,
		.arg = memory,
		.claims = &p->fortuna_claims,
		.engine = p->engine,
		.backend = p->backend,
		.pool_min = CPRNG_POOL_MIN_DEFAULT,
	};
}

/* Poll all sources once, and add the events, which remain in `sources`, to the pools.  Returns their number; needs poll_lock. */
static size_t ask_sources(struct cprng_process *p, enum cprng_wait wait)
{
	struct cprng_sources *const sources = &p->strong->sources;
	const size_t events = cprng_sources_poll(p, sources);

	/* Fails while another thread reseeds, which does not need these events. */
	(void)cprng_fortuna_core_add_events(&p->fortuna, sources->event, events, wait);
	__atomic_store_n(&p->strong->polled, cprng_clock_or_count(&p->strong->looks), __ATOMIC_RELAXED);
	return events;
}

static void poll_sources(struct cprng_process *p, enum cprng_wait wait)
{
	struct cprng_sources *const sources = &p->strong->sources;

	/*
	 * Two rounds of the kernel's, so that pool 0 has its minimum: the first read after a pause, however long, is reseeded
	 * before it is made.
	 */
	for (size_t bytes = 0; bytes < CPRNG_POOL_MIN_DEFAULT; bytes += CPRNG_EVENT_MAX) {
		(void)ask_sources(p, wait);
		cprng_wipe(sources->event, sizeof(sources->event));
	}
}

/*
 * Mix a seed that is younger than the generation into the key at once.  The caller holds poll_lock.  The seed has bytes of
 * the kernel, and what all sources give now: in two clones of a virtual machine whose kernels have not detected it yet,
 * jitter and the machine's number differ.  Returns false when a lock was unavailable; the caller tries again later.
 */
static bool seed_for_generation(struct cprng_process *p, uint64_t generation, enum cprng_wait wait)
{
	struct cprng_process_fortuna *const s = p->strong;
	uint8_t seed[CPRNG_POOL_MIN_DEFAULT + CPRNG_SHA256_SIZE];
	struct cprng_sha256 hash;
	bool done;

	/* If refused, the pages may be swapped. */
	(void)cprng_lock_memory(s, sizeof(*s));
	cprng_fortuna_core_start(&p->fortuna);
	cprng_kernel_bytes_by_call(seed, CPRNG_POOL_MIN_DEFAULT);
	cprng_sha256d_init(&hash);
	/* Two rounds of the kernel's, so that pool 0 has its minimum. */
	for (size_t bytes = 0; bytes < CPRNG_POOL_MIN_DEFAULT; bytes += CPRNG_EVENT_MAX) {
		const size_t events = ask_sources(p, wait);

		cprng_sha256_update(&hash, s->sources.event, events * sizeof(s->sources.event[0]));
		cprng_wipe(s->sources.event, sizeof(s->sources.event));
	}
	cprng_sha256d_final(&hash, seed + CPRNG_POOL_MIN_DEFAULT);
	done = cprng_fortuna_core_seed(&p->fortuna, seed, sizeof(seed), wait);
	cprng_wipe(seed, sizeof(seed));
	if (done)
		__atomic_store_n(&s->seeded_in, generation, __ATOMIC_RELEASE);
	return done;
}

static bool is_current(const struct cprng_process_fortuna *s, uint64_t generation)
{
	return __atomic_load_n(&s->seeded_in, __ATOMIC_ACQUIRE) == generation;
}

static uint64_t since_poll(struct cprng_process_fortuna *s)
{
	return cprng_clock_or_count(&s->looks) - __atomic_load_n(&s->polled, __ATOMIC_RELAXED);
}

static bool is_poll_due(struct cprng_process_fortuna *s)
{
	return since_poll(s) >= POLL_INTERVAL_NS;
}

/*
 * A reader waits for another thread's poll only at the beginning of a generation or after a pause: otherwise the second of
 * two readers would generate from a key that is as old as the pause.
 */
static void keep_fresh(struct cprng_process *p, uint64_t generation)
{
	struct cprng_process_fortuna *const s = p->strong;

	if (CPRNG_UNLIKELY(!is_current(s, generation))) {
		cprng_lock_take(&s->poll_lock);
		if (!is_current(s, generation))
			(void)seed_for_generation(p, generation, CPRNG_WAIT);
		cprng_lock_release(&s->poll_lock);
		return;
	}
	const uint64_t since = since_poll(s);

	if (since < POLL_INTERVAL_NS)
		return;
	if (CPRNG_UNLIKELY(since >= PAUSE_NS))
		cprng_lock_take(&s->poll_lock);
	else if (!cprng_lock_try(&s->poll_lock))
		return;
	if (is_poll_due(s))
		poll_sources(p, CPRNG_WAIT);
	cprng_lock_release(&s->poll_lock);
}

/* Signals are blocked, so only a handler for a fault in buf can fork in the middle.  Another thread can invalidate. */
CPRNG_NOINLINE static struct cprng_moment read_some(struct cprng_process *p, uint8_t *buf, size_t len)
{
	bool inside = cprng_has_buffers(p) && is_inside(p->strong);
	struct cprng_moment moment;
	int status;

	if (!inside)
		inside = !cprng_vm_clone_check(p);
	moment = cprng_moment_now(p);
	/* Without buffers there are no pools, and all bytes are the kernel's. */
	if (inside || moment.generation == CPRNG_NO_GENERATION) {
		cprng_kernel_bytes_to_caller(buf, len);
		return moment;
	}
	keep_fresh(p, moment.generation);
	status = cprng_fortuna_core_read(&p->fortuna, buf, len, CPRNG_WAIT);
	/* A fork in the middle also leaves it unseeded. */
	if (status != CPRNG_FORTUNA_OK && !cprng_moment_passed(p, &moment))
		cprng_os_die("the accumulator was never seeded", 0);
	return moment;
}

CPRNG_DEFINE_WIPE_STACK(process_fortuna_wipe_stack, cprng_wipe_unit, CPRNG_FORTUNA_FRAMES / sizeof(cprng_wipe_unit))

/*
 * Mark Fortuna as used.  In a program that never uses it draws poll no sources and block no signals.
 */
static void use(struct cprng_process *p)
{
	if (CPRNG_UNLIKELY(!cprng_strong_is_used(p)))
		__atomic_store_n(&p->strong_used, 1, __ATOMIC_RELAXED);
}

/*
 * Event:    a signal that was blocked during a piece is delivered when the piece is complete, and its handler forks.
 * Reason:   parent and child would return with the same bytes.
 * Pairing:  the fork wipes the generation, which is compared after the signals are restored; the child reads the piece again,
 *           over the bytes that it shared.
 */
void cprng_strong_read(struct cprng_process *p, uint8_t *buf, size_t len)
{
	struct cprng_os_signals signals;
	struct cprng_moment moment;

	if (CPRNG_UNLIKELY(!cprng_has_end(buf, len)))
		cprng_os_die(CPRNG_NO_END, 0);
	use(p);
	for (size_t n; len != 0; buf += n, len -= n) {
		n = len < READ_MAX ? len : READ_MAX;
		do {
			cprng_touch_pages(buf, n);
			cprng_os_block_signals(&signals);
			moment = read_some(p, buf, n);
			process_fortuna_wipe_stack();
			cprng_os_restore_signals(&signals);
		} while (cprng_moment_passed(p, &moment));
	}
}

CPRNG_NOINLINE static bool try_key(struct cprng_process *p, uint8_t key[32])
{
	struct cprng_process_fortuna *const s = p->strong;
	const uint64_t generation = cprng_generation(p);
	bool current = true;

	if (generation == CPRNG_NO_GENERATION)
		return false;
	if (!is_current(s, generation) || is_poll_due(s)) {
		if (!cprng_lock_try(&s->poll_lock))
			return false;
		if (!is_current(s, generation))
			current = seed_for_generation(p, generation, CPRNG_NOWAIT);
		else if (is_poll_due(s))
			poll_sources(p, CPRNG_NOWAIT);
		cprng_lock_release(&s->poll_lock);
	}
	return current && cprng_fortuna_core_read(&p->fortuna, key, 32, CPRNG_NOWAIT) == CPRNG_FORTUNA_OK;
}

bool cprng_strong_try_key(struct cprng_process *p, uint8_t key[32])
{
	struct cprng_os_signals signals;
	bool had;

	if (!cprng_strong_is_used(p))
		return false;
	cprng_os_block_signals(&signals);
	had = try_key(p, key);
	process_fortuna_wipe_stack();
	cprng_os_restore_signals(&signals);
	return had;
}

void cprng_strong_seed(struct cprng_process *p, const void *buf, size_t len)
{
	struct cprng_os_signals signals;
	uint64_t generation;

	use(p);
	if (!cprng_has_buffers(p))
		return;
	cprng_os_block_signals(&signals);
	generation = cprng_generation_wait(p);
	keep_fresh(p, generation);
	(void)cprng_fortuna_core_seed(&p->fortuna, buf, len, CPRNG_WAIT);
	cprng_os_restore_signals(&signals);
}

int cprng_strong_add(struct cprng_process *p, const struct cprng_event *event)
{
	int status;

	use(p);
	if (!cprng_has_buffers(p))
		return CPRNG_FORTUNA_OK;
	status = cprng_fortuna_core_put(&p->fortuna, event);
	if (status == CPRNG_FORTUNA_OK)
		__atomic_fetch_add(&p->strong->application_events, 1, __ATOMIC_RELAXED);
	return status;
}

void cprng_strong_set_locked(struct cprng_process *p, bool on)
{
	__atomic_store_n(&p->fortuna.locked_reads, on, __ATOMIC_RELAXED);
}

/* The caller holds poll_lock, which protects the tables of the sources and is taken before the lock of the pools. */
static void describe_sources(struct cprng_process_fortuna *s, struct cprng_strong_info *info)
{
	const size_t application = __atomic_load_n(&s->application_events, __ATOMIC_RELAXED);
	struct cprng_source_info *source = info->source;

	for (int i = 0; i < CPRNG_SOURCES_OWN; i++, source++) {
		source->name = cprng_source_name((enum cprng_source)i);
		source->state = cprng_source_state(&s->sources, (enum cprng_source)i);
		source->events = s->sources.source[i].events;
		source->samples = s->sources.source[i].health.samples;
	}
	source->name = "application";
	source->state = application != 0 ? "used" : "unused";
	source->events = application;
	source++;
	info->sources = (uint32_t)(source - info->source);
}

_Static_assert(CPRNG_SOURCES_OWN + 1 <= CPRNG_SOURCES_MAX, "and the application's");

void cprng_strong_describe(struct cprng_process *p, struct cprng_strong_info *info)
{
	struct cprng_process_fortuna *const s = p->strong;
	struct cprng_os_signals signals;

	memset(info, 0, sizeof(*info));
	info->engine = p->engine->name;
	info->backend = p->backend->name;
	info->locked_reads = __atomic_load_n(&p->fortuna.locked_reads, __ATOMIC_RELAXED) != 0;
	if (!cprng_has_buffers(p))
		return;
	cprng_os_block_signals(&signals);
	cprng_lock_take(&s->poll_lock);
	cprng_lock_take(&s->lock[CPRNG_LOCK_POOLS]);
	info->reseeds = s->state.accumulator.reseeds;
	info->events = s->state.accumulator.events;
	info->dropped = __atomic_load_n(&s->state.harvest.dropped, __ATOMIC_RELAXED);
	describe_sources(s, info);
	cprng_lock_release(&s->lock[CPRNG_LOCK_POOLS]);
	cprng_lock_release(&s->poll_lock);
	cprng_os_restore_signals(&signals);
}
