// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/*
 * The draw: fast key erasure with a buffer for each CPU (core/buffer.h), which only that CPU uses,
 * with interrupts off.
 *
 * A draw takes no lock and waits for no other CPU, so it is allowed under any lock and in any
 * context.  It can still be interrupted by NMIs, probes, and callbacks of tracers on functions that
 * it calls.  So each CPU has several states: a draw marks its state as busy, and a draw that
 * interrupts it takes the next.  On one CPU, draws end in reverse order of their beginnings, so
 * plain loads and stores suffice for the marks.
 *
 * New keys come from other CPUs as pending keys: each state has two slots, which the reseeder fills
 * in turn on any CPU, and the next draw empties the full one.  No other CPU touches the buffer
 * itself.
 *
 *   reseeder (interrupts off)                draw on the CPU (interrupts off, the state marked)
 *   key into the slot that is not full       FULL_x -> READING (acquire)
 *   EMPTY or FULL_x -> FULL_y (release)      key
 *   the other slot is wiped                  -> EMPTY (release)
 *
 * Race: a draw arrives while the reseeder writes the next key.  The previously delivered key stays
 * in its slot until the draw takes it or a newer one is complete, so after a clone no draw
 * continues with an older key because a delivery is in progress. A reseeder that sees READING waits
 * for the draw's few instructions.  Pairing: the release in the change to FULL with the acquire in
 * the change to READING, and the release in EMPTY with the reseeder's next load. pending_key.pml
 * has these steps for a model checker.
 */
#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>

#include "core/buffer.h"
#include "core/bytes.h"
#include "kernel/linux/compat.h"
#include "kernel/linux/module.h"

enum {
	/*
	 * A draw's longest work with interrupts off; 32 of the 128 bytes are the next key.  Four
	 * blocks would save a quarter of a draw's mean cost and double its longest time
	 * (docs/kernel.md).
	 */
	REFILL_BLOCKS = 2,
	REFILL = REFILL_BLOCKS * 64,
	/* Longer requests take a key, and expand it with the interrupt state unchanged. */
	SHORT_MAX = 64,
	/* A reseed costs as much as a few refills. */
	REFILLS_PER_RESEED = 4096,
};

/* The age in milliseconds at which a draw requests a new key. */
CPRNG_TUNABLE(reseed_ms, 1000);

static_assert(REFILL - CPRNG_KEY_SIZE >= SHORT_MAX, "one refill serves a short request");
static_assert(SHORT_MAX + REFILL - CPRNG_KEY_SIZE <= CPRNG_BUFFER_SIZE,
	      "there is room for a refill");

/* PENDING_FULL + x: slot x is full. */
enum { PENDING_EMPTY, PENDING_READING, PENDING_FULL, PENDING_SLOTS = 2 };

struct level {
	struct cprng_buffer buffer;
	struct {
		u32 state;
		struct slot {
			u32 delivered; /* jiffies */
			u8 key[CPRNG_KEY_SIZE];
		} slot[PENDING_SLOTS];
	} pending;
	u32 wants_key;
	u32 busy;
	struct cprng_percpu_counters counters;
};

struct cpu {
	struct level level[CPRNG_LEVELS];
};

static_assert(sizeof(struct cpu) <= PCPU_MIN_UNIT_SIZE / 4,
	      "a small part of what can be allocated for a CPU at once");

static struct cpu __percpu *cpus __ro_after_init;
static void (*request_reseed)(void) __ro_after_init;

/*
 * A key's tag: its delivery time, and the number of refills since (from 1 on, so that the tag is
 * not 0).  The time is the delivery's, not the draw's, because a pending key ages, too.
 */
static u64 new_tag(u32 delivered)
{
	return (u64)delivered << 32 | 1;
}

static bool is_old(u64 tag)
{
	return (u32)tag >= REFILLS_PER_RESEED ||
	       (u32)jiffies - (u32)(tag >> 32) >= msecs_to_jiffies(reseed_ms);
}

/* Take the full slot for this draw; repeat if a newer key was delivered in between. */
static __always_inline struct slot *take_pending_key(struct level *l)
{
	u32 seen;

	do {
		seen = READ_ONCE(l->pending.state);
	} while (cmpxchg(&l->pending.state, seen, PENDING_READING) != seen);
	return &l->pending.slot[seen - PENDING_FULL];
}

/* Mix in the pending key.  The keys are added in the slot, so that there is no further copy. */
static noinline void mix_pending_key(struct level *l)
{
	struct slot *const slot = take_pending_key(l);

	cprng_test_point(CPRNG_AT_READING);
	if (l->buffer.key_tag != 0) {
		cprng_xor(slot->key, l->buffer.key, CPRNG_KEY_SIZE);
		l->buffer.key_tag = 0;
	}
	cprng_buffer_put_key(&l->buffer, slot->key, new_tag(slot->delivered));
	cprng_wipe(slot->key, sizeof(slot->key));
	/* The slot is wiped before try_deliver() sees it as empty. */
	smp_store_release(&l->pending.state, PENDING_EMPTY);
	/* The buffered bytes descend from the old key. */
	cprng_wipe(l->buffer.out, l->buffer.left);
	l->buffer.left = 0;
	l->counters.reseeds++;
}
NOKPROBE_SYMBOL(mix_pending_key);

/*
 * Panic: there are no random bytes, and the caller receives no error code.  Only a CPU that came up
 * without a key, or more nested draws than the kernel nests NMIs and probes, can reach this.
 */
static noinline __noreturn void no_state(void)
{
	panic("cprng: no state for a draw on CPU %u\n", raw_smp_processor_id());
}
NOKPROBE_SYMBOL(no_state);

/*
 * Expand the key to the next key and fresh bytes; the last of them go to the caller, the others
 * into the buffer.
 */
static noinline void refill(struct level *l, void *dst, size_t len)
{
	struct cprng_keystate ks;
	u8 fresh[REFILL] __aligned(64);
	const u64 tag = cprng_buffer_take_key(&l->buffer, fresh);

	if (unlikely(tag == 0))
		no_state();
	cprng_test_point(CPRNG_AT_REFILL);
	cprng_cipher_start(&ks, fresh);
	cprng_cipher.keystream(&ks, cprng_cipher_engine()->rounds, fresh, REFILL_BLOCKS, 0);
	cprng_buffer_put_key(&l->buffer, fresh, tag + 1);
	memcpy(dst, fresh + REFILL - len, len);
	cprng_buffer_push(&l->buffer, fresh + CPRNG_KEY_SIZE, REFILL - CPRNG_KEY_SIZE - len);
	cprng_wipe(fresh, sizeof(fresh));
	cprng_wipe(&ks, sizeof(ks));
	l->counters.refills++;
}
NOKPROBE_SYMBOL(refill);

static noinline void ask_for_key(struct level *l)
{
	WRITE_ONCE(l->wants_key, 1);
	request_reseed();
}
NOKPROBE_SYMBOL(ask_for_key);

static noinline struct level *next_free_level(struct cpu *c)
{
	struct level *l;

	for (l = c->level + 1; l != c->level + CPRNG_LEVELS; l++) {
		if (!READ_ONCE(l->busy))
			return l;
	}
	no_state();
}
NOKPROBE_SYMBOL(next_free_level);

/*
 * A draw that interrupts this one before it sets the mark has removed its own mark by the time this
 * one continues.
 */
static __always_inline struct level *claim_level(void)
{
	struct cpu *c = this_cpu_ptr(cpus);
	struct level *l = &c->level[0];

	if (unlikely(READ_ONCE(l->busy)))
		l = next_free_level(c);
	WRITE_ONCE(l->busy, 1);
	barrier();
	return l;
}

static __always_inline void release_level(struct level *l)
{
	barrier();
	WRITE_ONCE(l->busy, 0);
}

/* For up to SHORT_MAX bytes. */
static __always_inline void draw(void *dst, size_t len)
{
	unsigned long flags;
	struct level *l;

	local_irq_save(flags);
	l = claim_level();
	/* Only this CPU's draws empty slots, so a full one stays full. */
	if (unlikely(READ_ONCE(l->pending.state) >= PENDING_FULL))
		mix_pending_key(l);
	if (unlikely(!cprng_buffer_pop(&l->buffer, dst, len)))
		refill(l, dst, len);
	/* If few bytes are drawn, buffered bytes grow old, too. */
	if (unlikely(is_old(l->buffer.key_tag)) && !READ_ONCE(l->wants_key))
		ask_for_key(l);
	release_level(l);
	local_irq_restore(flags);
}

static noinline void draw_long(u8 *dst, size_t len)
{
	u8 key[CPRNG_KEY_SIZE];
	unsigned long generation;

	do {
		generation = cprng_generation();
		draw(key, sizeof(key));
		cprng_test_point(CPRNG_AT_LONG);
		cprng_cipher_expand(key, dst, len);
		cprng_wipe(key, sizeof(key));
	} while (unlikely(cprng_generation_changed(generation)));
}
NOKPROBE_SYMBOL(draw_long);

void cprng_fast(void *buf, size_t len)
{
	if (len > SHORT_MAX)
		draw_long(buf, len);
	else if (len != 0)
		draw(buf, len);
}
EXPORT_SYMBOL_NS(cprng_fast, CPRNG_NAMESPACE);
NOKPROBE_SYMBOL(cprng_fast);

u32 cprng_fast32(void)
{
	u32 x;

	draw(&x, sizeof(x));
	return x;
}
EXPORT_SYMBOL_NS(cprng_fast32, CPRNG_NAMESPACE);
NOKPROBE_SYMBOL(cprng_fast32);

u64 cprng_fast64(void)
{
	u64 x;

	draw(&x, sizeof(x));
	return x;
}
EXPORT_SYMBOL_NS(cprng_fast64, CPRNG_NAMESPACE);
NOKPROBE_SYMBOL(cprng_fast64);

/* Lemire, doi:10.1145/3230636, as include/cprng/draw.h has it. */
u32 cprng_uniform32(u32 bound)
{
	u64 m = (u64)cprng_fast32() * bound;

	if (unlikely((u32)m < bound)) {
		const u32 refused = -bound % bound;

		while ((u32)m < refused)
			m = (u64)cprng_fast32() * bound;
	}
	return m >> 32;
}
EXPORT_SYMBOL_NS(cprng_uniform32, CPRNG_NAMESPACE);

/* --------------------------------------------------------------------------------- from outside */

static struct level *level_of(unsigned int cpu, unsigned int level)
{
	return &per_cpu_ptr(cpus, cpu)->level[level];
}

/*
 * Returns false if a draw reads the slot or has read it meanwhile.  READING lasts for a few
 * instructions with interrupts off.
 */
static bool try_deliver(struct level *l, const u8 key[CPRNG_KEY_SIZE])
{
	const u32 seen = READ_ONCE(l->pending.state),
		  next = seen == PENDING_FULL ? PENDING_FULL + 1 : PENDING_FULL;
	struct slot *const slot = &l->pending.slot[next - PENDING_FULL];
	bool done;

	if (seen == PENDING_READING)
		return false;
	memcpy(slot->key, key, CPRNG_KEY_SIZE);
	slot->delivered = (u32)jiffies;
	cprng_test_point(CPRNG_AT_WRITING);
	done = cmpxchg(&l->pending.state, seen, next) == seen;
	/* Wipe the slot that is not full now. */
	if (seen != PENDING_EMPTY || !done)
		cprng_wipe(done ? l->pending.slot[seen - PENDING_FULL].key : slot->key,
			   CPRNG_KEY_SIZE);
	return done;
}

/*
 * Race: the machine wakes, or a clone begins, between the load of the generation and the delivery.
 * A waking machine has stopped all other CPUs with interrupts off.  With interrupts off from the
 * load to the delivery, it therefore finds no half-written key, and no older key follows its own.
 */
bool cprng_percpu_deliver_key(unsigned int cpu, unsigned int level, const u8 key[CPRNG_KEY_SIZE],
			      unsigned long generation)
{
	struct level *l = level_of(cpu, level);
	unsigned long flags;

	cprng_test_point(CPRNG_AT_DELIVERY);
	for (;;) {
		local_irq_save(flags);
		if (cprng_generation_changed(generation)) {
			local_irq_restore(flags);
			return false;
		}
		if (try_deliver(l, key))
			break;
		local_irq_restore(flags);
		cpu_relax();
	}
	local_irq_restore(flags);
	return true;
}

bool cprng_percpu_wants(unsigned int cpu, unsigned int level)
{
	struct level *l = level_of(cpu, level);

	if (!READ_ONCE(l->wants_key))
		return false;
	WRITE_ONCE(l->wants_key, 0);
	return true;
}

void cprng_percpu_erase(unsigned int cpu)
{
	cprng_wipe(per_cpu_ptr(cpus, cpu), sizeof(struct cpu));
}

void cprng_percpu_count(unsigned int cpu, unsigned int level, struct cprng_percpu_counters *of)
{
	const struct level *l = level_of(cpu, level);

	of->refills = READ_ONCE(l->counters.refills);
	of->reseeds = READ_ONCE(l->counters.reseeds);
}

int __init cprng_percpu_init(void (*request)(void))
{
	request_reseed = request;
	cpus = alloc_percpu(struct cpu);
	return cpus ? 0 : -ENOMEM;
}

void cprng_percpu_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		cprng_percpu_erase(cpu);
	cprng_test_point(CPRNG_AT_STATES_ERASED);
	free_percpu(cpus);
}

#ifdef CPRNG_KERNEL_TEST
/* --------------------------------------------------------------------------- what tests look at */

void (*cprng_test_hook)(enum cprng_test_point point);
EXPORT_SYMBOL_NS_GPL(cprng_test_hook, CPRNG_TEST_NAMESPACE);

void cprng_test_look(unsigned int cpu, unsigned int level, struct cprng_test_level *seen)
{
	const struct level *l = level_of(cpu, level);

	seen->buffer = &l->buffer;
	seen->pending_state = READ_ONCE(l->pending.state);
	seen->pending = &l->pending;
	seen->pending_size = sizeof(l->pending);
	seen->reseeds = READ_ONCE(l->counters.reseeds);
}
EXPORT_SYMBOL_NS_GPL(cprng_test_look, CPRNG_TEST_NAMESPACE);

bool cprng_test_states_are_erased(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (memchr_inv(per_cpu_ptr(cpus, cpu), 0, sizeof(struct cpu)))
			return false;
	}
	return true;
}
EXPORT_SYMBOL_NS_GPL(cprng_test_states_are_erased, CPRNG_TEST_NAMESPACE);

struct module *cprng_test_draw(void)
{
	(void)cprng_fast64();
	return THIS_MODULE;
}
EXPORT_SYMBOL_NS_GPL(cprng_test_draw, CPRNG_TEST_NAMESPACE);
#endif
