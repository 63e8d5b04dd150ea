// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The module's Fortuna (src/fortuna/), and its sources.
 *
 * Locks, in the order in which they may be taken.  All are spin locks: a holder cannot be preempted
 * or throttled by a cgroup, so a program delays other programs and the thread only by a bounded
 * piece of work.  With PREEMPT_RT the first two sleep, and their holder can be preempted; it
 * inherits a waiter's priority (a cgroup may still throttle it), as with every lock of that kernel.
 * Draws take none of them.
 *
 *   readers     readers of the device with locked reads, for a piece; process context
 *   pools       the thread, and writers to the device, for an event; process context
 *   generator   readers, for a piece or a step, and reseeds; raw, with interrupts off: any context
 *
 * A further lock, timer, is raw and taken in interrupts that start or forward the timer.
 */
#include <linux/err.h>
#include <linux/export.h>
#include <linux/freezer.h>
#include <linux/hardirq.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>

#include "core/wipe.h"
#include "cpu/random_instructions.h"
#include "fortuna/health.h"
#include "kernel/linux/compat.h"
#include "kernel/linux/module.h"

enum {
	/*
	 * Bytes generated under the lock, with interrupts off: two blocks with the next key, as in
	 * a draw's refill.
	 */
	LOCKED_MAX = 64,
	/* Bytes generated outside the lock. */
	CONCURRENT_MAX = SZ_4K,
	/*
	 * Each turn of the thread gives each pool 32 bytes.  Pool 0 has 64 after two turns, so
	 * there are up to five reseeds a second: half of Fortuna's limit, so that none is delayed.
	 * With 512 bits, as in FreeBSD, no seed depends on a single answer of the source.
	 */
	POOL_MIN = CPRNG_POOL_MIN_DEFAULT,
};

/*
 * The thread's interval, as in FreeBSD; Fortuna reseeds at most ten times a second.  After two
 * seconds without reads the interval becomes five seconds, so that an idle machine seldom wakes:
 * enough for a reseed before all CPUs' keys are replaced (reseed.c).
 */
#define HARVEST_INTERVAL_NS CPRNG_RESEED_INTERVAL_NS
#define REST_INTERVAL_NS (5 * (u64)NSEC_PER_SEC)
enum { TURNS_UNTIL_REST = 20 };

enum source { SOURCE_KERNEL, SOURCE_CPU, SOURCE_TIMER, SOURCE_CALLER, SOURCE_WRITER };

static DEFINE_RAW_SPINLOCK(generator_lock);
/* This CPU holds the lock or waits for it, with interrupts off: what interrupts it may not wait. */
static DEFINE_PER_CPU(bool, is_in_generator);
static DEFINE_SPINLOCK(pools_lock);
static DEFINE_SPINLOCK(readers_lock);

static void port_lock(void *arg, int which, u64 token[2])
{
	unsigned long flags;

	if (which == CPRNG_LOCK_POOLS) {
		spin_lock(&pools_lock);
	} else {
		local_irq_save(flags);
		this_cpu_write(is_in_generator, true);
		raw_spin_lock(&generator_lock);
		token[0] = flags;
	}
}

/* Only pools would be tried: the thread waits for them, and readers leave the queue to it. */
static int port_try_lock(void *arg, int which, u64 token[2])
{
	return 0;
}

static void port_unlock(void *arg, int which, const u64 token[2])
{
	if (which == CPRNG_LOCK_POOLS) {
		spin_unlock(&pools_lock);
	} else {
		raw_spin_unlock(&generator_lock);
		this_cpu_write(is_in_generator, false);
		local_irq_restore((unsigned long)token[0]);
	}
}

static u64 port_now(void *arg)
{
	/*
	 * Safe in any context, while ktime_get() may wait for a CPU that sets the clock.  Backward
	 * steps are harmless.
	 */
	return ktime_get_mono_fast_ns();
}

static const struct cprng_fortuna_port port = {
	.lock = port_lock,
	.try_lock = port_try_lock,
	.unlock = port_unlock,
	.now = port_now,
};

static struct cprng_fortuna_state state;
static struct cprng_fortuna_core fortuna __ro_after_init = {
	.state = &state,
	.port = &port,
	.backend = &cprng_cipher,
	.pool_min = POOL_MIN,
};

/* The sysctl.  Each request reads it once, at its beginning. */
static u32 locked_reads;

u32 *cprng_fortuna_locked_reads(void)
{
	return &locked_reads;
}

/* -------------------------------------------------------------------------------------- reading */

static void read_piece(const struct cprng_fortuna_core *f, u8 *out, size_t len)
{
	/* cprng_fortuna_init() seeds before the first reader. */
	if (WARN_ON_ONCE(cprng_fortuna_core_read(f, out, len, CPRNG_WAIT) != CPRNG_FORTUNA_OK))
		get_random_bytes(out, len);
}

/*
 * queue: a lock to wait for with interrupts on, so that only one of its users waits for the
 * generator's lock.
 *
 * The mode is loaded once per request.  If it changed in between, a concurrent read's piece would
 * be generated under the lock: 4 KiB with interrupts off.
 */
static void read_pieces(u8 *out, size_t len, spinlock_t *queue)
{
	struct cprng_fortuna_core f = fortuna;
	size_t n;

	f.locked_reads = READ_ONCE(locked_reads);
	for (; len != 0; out += n, len -= n) {
		n = min_t(size_t, len, f.locked_reads ? LOCKED_MAX : CONCURRENT_MAX);
		if (queue && f.locked_reads) {
			cprng_test_point(CPRNG_AT_QUEUE);
			spin_lock(queue);
			read_piece(&f, out, n);
			spin_unlock(queue);
		} else {
			read_piece(&f, out, n);
		}
	}
}

static void read_whole(u8 *out, size_t len, spinlock_t *queue)
{
	unsigned long generation;

	do {
		generation = cprng_generation();
		read_pieces(out, len, queue);
		cprng_test_point(CPRNG_AT_STRONG);
	} while (unlikely(cprng_generation_changed(generation)));
}

/*
 * Whether this code may have interrupted the lock's holder: an NMI, or a tracer's callback or
 * probe, which may run outside an NMI.  A single load tolerates preemption: nothing else runs on a
 * CPU that holds the lock.
 */
static bool must_not_wait(void)
{
	return in_nmi() || this_cpu_read(is_in_generator);
}

void cprng_strong(void *buf, size_t len)
{
	if (must_not_wait()) {
		cprng_fast(buf, len);
	} else {
		cprng_fortuna_use();
		read_whole(buf, len, NULL);
	}
}
EXPORT_SYMBOL_NS(cprng_strong, CPRNG_NAMESPACE);

void cprng_fortuna_key(void *buf, size_t len)
{
	read_whole(buf, len, NULL);
}

/*
 * Any number of programs may read at once, and a CPU waits for the generator's lock with interrupts
 * off; so one program at a time waits for it.  cprng_strong() has no such queue: an interrupt may
 * call it while its CPU holds the queue.
 */
void cprng_fortuna_read(void *buf, size_t len)
{
	cprng_fortuna_use();
	read_whole(buf, len, &readers_lock);
}

/* ----------------------------------------------------------------------------------- harvesting */

static size_t next_event(struct cprng_event *e, enum source source, const u8 *buf, size_t len)
{
	memset(e, 0, sizeof(*e));
	e->source = source;
	e->len = min_t(size_t, len, CPRNG_EVENT_MAX);
	memcpy(e->payload, buf, e->len);
	return e->len;
}

void cprng_add_entropy(const void *buf, size_t len)
{
	struct cprng_event e;
	size_t n;

	/* The thread empties the queue. */
	cprng_fortuna_use();
	for (; len != 0; buf += n, len -= n) {
		n = next_event(&e, SOURCE_CALLER, buf, len);
		(void)cprng_fortuna_core_put(&fortuna, &e);
	}
	cprng_wipe(&e, sizeof(e));
}
EXPORT_SYMBOL_NS(cprng_add_entropy, CPRNG_NAMESPACE);

void cprng_fortuna_deal(const void *buf, size_t len)
{
	struct cprng_event e;
	size_t n;

	cprng_fortuna_use();
	for (; len != 0; buf += n, len -= n) {
		n = next_event(&e, SOURCE_WRITER, buf, len);
		(void)cprng_fortuna_core_add_events(&fortuna, &e, 1, CPRNG_WAIT);
	}
	cprng_wipe(&e, sizeof(e));
}

void cprng_fortuna_seed(const void *seed, size_t len)
{
	(void)cprng_fortuna_core_seed(&fortuna, seed, len, CPRNG_WAIT);
}

void cprng_fortuna_seed_with_kernel(void)
{
	u8 seed[64];

	get_random_bytes(seed, sizeof(seed));
	cprng_fortuna_seed(seed, sizeof(seed));
	cprng_wipe(seed, sizeof(seed));
}

/*
 * One turn's events: 32 bytes of the kernel's generator for each pool, credited with full entropy,
 * and words of the CPU's entropy source without credit (docs/decisions/0008-entropy-sources.md).
 */
static struct cprng_event turn[CPRNG_POOLS + 1];

static noinline size_t ask_sources(void)
{
	struct cprng_event *e;
	u64 word[CPRNG_EVENT_MAX / sizeof(u64)];
	size_t i;

	for (e = turn; e != turn + CPRNG_POOLS; e++) {
		e->source = SOURCE_KERNEL;
		e->len = CPRNG_EVENT_MAX;
		e->entropy_bits = 8 * CPRNG_EVENT_MAX;
		get_random_bytes(e->payload, CPRNG_EVENT_MAX);
	}
	for (i = 0; i < ARRAY_SIZE(word) && cprng_word_of_cpu(&word[i]); i++)
		;
	if (i != 0)
		(void)next_event(e++, SOURCE_CPU, (const u8 *)word, i * sizeof(u64));
	cprng_wipe(word, sizeof(word));
	return e - turn;
}

static struct task_struct *thread __ro_after_init;
static bool is_due;
static unsigned long turns;

/*
 * Frozen before the machine sleeps, at a point where the thread holds no lock that reseed.c's
 * on_wake() takes.
 */
static int harvest(void *arg)
{
	set_freezable();
	for (;;) {
		try_to_freeze();
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (!READ_ONCE(is_due)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		WRITE_ONCE(is_due, false);
		WRITE_ONCE(turns, turns + 1);
		(void)cprng_fortuna_core_add_events(&fortuna, turn, ask_sources(), CPRNG_WAIT);
		cprng_wipe(turn, sizeof(turn));
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/*
 * A timer as a source: other work delays its interrupts.  Health tests watch it like every raw
 * source.  It gets no credit, because the clock that starts it is the clock that it reads.
 */
static struct hrtimer timer;
static struct cprng_health timer_health;
static u64 timer_cycles;

/*
 * Whether Fortuna was used since the last timer interrupt, and the turns without use since then, up
 * to TURNS_UNTIL_REST.
 */
static bool is_used;
static unsigned int quiet_turns;

static bool is_resting(void)
{
	return READ_ONCE(quiet_turns) >= TURNS_UNTIL_REST;
}

static u64 next_interval(void)
{
	if (READ_ONCE(is_used)) {
		WRITE_ONCE(is_used, false);
		WRITE_ONCE(quiet_turns, 0);
	} else if (quiet_turns < TURNS_UNTIL_REST) {
		WRITE_ONCE(quiet_turns, quiet_turns + 1);
	}
	return is_resting() ? REST_INTERVAL_NS : HARVEST_INTERVAL_NS;
}

/*
 * Race: a use ends the rest while the timer's interrupt runs on another CPU.  A restarted timer
 * must not be forwarded, so both check under this lock, with interrupts off.
 */
static DEFINE_RAW_SPINLOCK(timer_lock);

static void end_rest(struct irq_work *work)
{
	raw_spin_lock(&timer_lock);
	hrtimer_start(&timer, 0, HRTIMER_MODE_REL_HARD);
	raw_spin_unlock(&timer_lock);
}

static struct irq_work rest_ends;

void cprng_fortuna_use(void)
{
	if (READ_ONCE(is_used))
		return;
	WRITE_ONCE(is_used, true);
	/* Through an interrupt of this CPU: a timer cannot be started in every context. */
	if (is_resting())
		irq_work_queue(&rest_ends);
}

static enum hrtimer_restart on_timer(struct hrtimer *t)
{
	const u64 cycles = cprng_cpu_cycles();
	struct {
		u64 cycles;
		s64 late;
	} sample = { cycles, ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(t))) };
	struct cprng_event e;
	u64 interval;

	if (cprng_health_sample(&timer_health, (u8)(cycles - timer_cycles))) {
		(void)next_event(&e, SOURCE_TIMER, (const u8 *)&sample, sizeof(sample));
		(void)cprng_fortuna_core_put(&fortuna, &e);
	}
	timer_cycles = cycles;
	WRITE_ONCE(is_due, true);
	wake_up_process(thread);
	cprng_test_point(CPRNG_AT_TIMER);
	raw_spin_lock(&timer_lock);
	interval = next_interval();
	if (!hrtimer_is_queued(t))
		hrtimer_forward_now(t, ns_to_ktime(interval));
	raw_spin_unlock(&timer_lock);
	return HRTIMER_RESTART;
}

int __init cprng_fortuna_init(bool locked)
{
	fortuna.engine = cprng_cipher_engine();
	locked_reads = locked;
	cprng_fortuna_core_start(&fortuna);
	cprng_fortuna_seed_with_kernel();
	rest_ends = IRQ_WORK_INIT_HARD(end_rest);
	thread = kthread_run(harvest, NULL, "cprng_harvest");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	cprng_health_init(&timer_health, &cprng_health_jitter);
	/* In hard interrupt context, even with PREEMPT_RT. */
	hrtimer_setup(&timer, on_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&timer, ns_to_ktime(HARVEST_INTERVAL_NS), HRTIMER_MODE_REL_HARD);
	return 0;
}

void cprng_fortuna_exit(void)
{
	irq_work_sync(&rest_ends);
	hrtimer_cancel(&timer);
	kthread_stop(thread);
	cprng_wipe(&state, sizeof(state));
	cprng_test_point(CPRNG_AT_FORTUNA_ERASED);
}

void cprng_fortuna_show(struct seq_file *m)
{
	u64 reseeds, events;

	spin_lock(&pools_lock);
	reseeds = state.accumulator.reseeds;
	events = state.accumulator.events;
	spin_unlock(&pools_lock);
	seq_printf(m, "locked_reads %u\nfortuna_reseeds %llu\n", READ_ONCE(locked_reads), reseeds);
	seq_printf(m, "fortuna_events %llu\nfortuna_dropped %zu\n", events,
		   READ_ONCE(state.harvest.dropped));
	seq_printf(m, "timer %s\nturns %lu\nresting %d\n",
		   cprng_health_failed(&timer_health) ? "retired" : "used", READ_ONCE(turns),
		   is_resting());
}

#ifdef CPRNG_KERNEL_TEST
CPRNG_TUNABLE(fake_rdseed, 0);

bool cprng_word_of_cpu(u64 *word)
{
	if (cprng_cpu_rdseed(word))
		return true;
	if (fake_rdseed)
		*word = get_random_u64();
	return fake_rdseed;
}

void cprng_test_use(void)
{
	cprng_fortuna_use();
}
EXPORT_SYMBOL_NS_GPL(cprng_test_use, CPRNG_TEST_NAMESPACE);

void cprng_test_hold_locks(bool hold)
{
	static u64 token[2];

	if (hold) {
		port_lock(NULL, CPRNG_LOCK_POOLS, NULL);
		port_lock(NULL, CPRNG_LOCK_GENERATOR, token);
	} else {
		port_unlock(NULL, CPRNG_LOCK_GENERATOR, token);
		port_unlock(NULL, CPRNG_LOCK_POOLS, NULL);
	}
}
EXPORT_SYMBOL_NS_GPL(cprng_test_hold_locks, CPRNG_TEST_NAMESPACE);

bool cprng_test_is_in_generator(unsigned int cpu)
{
	return READ_ONCE(*per_cpu_ptr(&is_in_generator, cpu));
}
EXPORT_SYMBOL_NS_GPL(cprng_test_is_in_generator, CPRNG_TEST_NAMESPACE);

void cprng_test_end_rest(void)
{
	end_rest(&rest_ends);
}
EXPORT_SYMBOL_NS_GPL(cprng_test_end_rest, CPRNG_TEST_NAMESPACE);

bool cprng_test_fortuna_is_erased(void)
{
	return !memchr_inv(&state, 0, sizeof(state)) && !memchr_inv(turn, 0, sizeof(turn));
}
EXPORT_SYMBOL_NS_GPL(cprng_test_fortuna_is_erased, CPRNG_TEST_NAMESPACE);

struct task_struct *cprng_test_thread(const void **events, size_t *size)
{
	*events = turn;
	*size = sizeof(turn);
	return thread;
}
EXPORT_SYMBOL_NS_GPL(cprng_test_thread, CPRNG_TEST_NAMESPACE);

void cprng_test_ask_sources(void)
{
	(void)ask_sources();
	cprng_wipe(turn, sizeof(turn));
}
EXPORT_SYMBOL_NS_GPL(cprng_test_ask_sources, CPRNG_TEST_NAMESPACE);
EXPORT_SYMBOL_NS_GPL(cprng_fortuna_deal, CPRNG_TEST_NAMESPACE);
EXPORT_SYMBOL_NS_GPL(cprng_fortuna_seed_with_kernel, CPRNG_TEST_NAMESPACE);
#endif
