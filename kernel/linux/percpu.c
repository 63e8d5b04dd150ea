/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The draw: each CPU has a buffer (core/buffer.h) that it alone touches, with interrupts off.
 *
 * No lock is taken and no other CPU is waited for, so that a draw may be made under any lock and in any context.  What
 * interrupts-off does not keep out are NMIs, and probes and callbacks of tracers on what a draw calls.  So there are
 * several states: a draw marks the one that it uses as busy, and a draw that interrupts it takes the next.  On one CPU
 * draws end in the reverse of the order in which they began, so that plain loads and stores do for the marks.
 *
 * New keys come from outside by mail: two slots for each state that its reseeder fills in turn, on whatever CPU, and of
 * which the next draw empties the one that is full.  The buffer itself is never touched from outside.
 *
 *   reseeder (interrupts off)                draw on the CPU (interrupts off, the state marked)
 *   key into the slot that is not full       FULL_x -> READING (acquire)
 *   EMPTY or FULL_x -> FULL_y (release)      key
 *   the other slot is wiped                  -> EMPTY (release)
 *
 * So a key that was posted is there until it is taken, or a younger one is in its place: a draw never goes on with the
 * key of a machine that is another one by now because the next key is just being written.  A reseeder that meets READING
 * waits for the few instructions of the draw.  mail.pml has these steps for a model checker.
 */
#include <linux/bug.h>
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
	 * What a draw does at most with interrupts off: of 128 bytes 32 are the next key.  Four blocks would save a
	 * quarter of a draw's mean cost and double its longest time (docs/kernel.md).
	 */
	REFILL_BLOCKS = 2,
	REFILL = REFILL_BLOCKS * 64,
	/* Longer requests take a key, and are made of it with interrupts as they were. */
	SHORT_MAX = 64,
	/* A reseed costs as much as a few refills. */
	REFILLS_PER_RESEED = 4096,
};

/* The age in milliseconds at which a key is replaced where it is used. */
CPRNG_TUNABLE(reseed_ms, 1000);

_Static_assert(SHORT_MAX <= REFILL - CPRNG_KEY_SIZE, "one refill serves a short request");
_Static_assert(SHORT_MAX + REFILL - CPRNG_KEY_SIZE <= CPRNG_BUFFER_SIZE, "there is room for a refill");

/* MAIL_FULL + x: slot x is. */
enum { MAIL_EMPTY, MAIL_READING, MAIL_FULL, MAIL_SLOTS = 2 };

struct level {
	struct cprng_buffer buffer;
	struct {
		u32 state;
		struct slot {
			u32 posted; /* jiffies */
			u8 key[CPRNG_KEY_SIZE];
		} slot[MAIL_SLOTS];
	} mail;
	u32 wants; /* a key */
	u32 busy;
	struct cprng_percpu_counters counters;
};

struct cpu {
	struct level level[CPRNG_LEVELS];
};

_Static_assert(sizeof(struct cpu) <= PCPU_MIN_UNIT_SIZE / 4, "a small part of what can be allocated for a CPU at once");

static struct cpu __percpu *cpus __ro_after_init;
static void (*request_reseed)(void) __ro_after_init;

/*
 * The tag of a key: when it was posted, and how many refills descend from it (from 1 on, so that it is not 0).  Not when
 * it was opened: a key that lay in its cell is as old as that.
 */
static u64 new_tag(u32 posted)
{
	return (u64)posted << 32 | 1;
}

static bool is_old(u64 tag)
{
	return (u32)tag >= REFILLS_PER_RESEED || (u32)jiffies - (u32)(tag >> 32) >= msecs_to_jiffies(reseed_ms);
}

/* The slot that was full, which is the draw's now.  Again where a younger key came in its place just then. */
static __always_inline struct slot *take_mail(struct level *l)
{
	u32 seen;

	do {
		seen = READ_ONCE(l->mail.state);
	} while (cmpxchg(&l->mail.state, seen, MAIL_READING) != seen);
	return &l->mail.slot[seen - MAIL_FULL];
}

/* There is some.  The sum of the keys is made in the slot, so that no copy of it is anywhere else. */
static noinline void open_mail(struct level *l)
{
	struct slot *const slot = take_mail(l);

	cprng_test_point(CPRNG_AT_READING);
	if (l->buffer.key_tag != 0) {
		cprng_xor(slot->key, l->buffer.key, CPRNG_KEY_SIZE);
		l->buffer.key_tag = 0;
	}
	cprng_buffer_put_key(&l->buffer, slot->key, new_tag(slot->posted));
	cprng_wipe(slot->key, sizeof(slot->key));
	smp_store_release(&l->mail.state, MAIL_EMPTY);
	/* What is buffered descends from the key before. */
	cprng_wipe(l->buffer.out, l->buffer.left);
	l->buffer.left = 0;
	l->counters.reseeds++;
}
NOKPROBE_SYMBOL(open_mail);

/*
 * The one end that is not an answer: nothing is random here, and the caller cannot be told.  It takes a CPU that was
 * brought up without a key, or more draws inside of each other than the kernel lets NMIs and probes nest.
 */
static noinline __noreturn void no_state(void)
{
	panic("cprng: no state for a draw on CPU %u\n", raw_smp_processor_id());
}
NOKPROBE_SYMBOL(no_state);

/* The next key, and fresh bytes: the last ones go to the draw, the others into the buffer. */
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
	WRITE_ONCE(l->wants, 1);
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

/* An interrupting draw that comes before the mark has come to its end, and taken its own mark off, when this goes on. */
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

/* Up to SHORT_MAX bytes. */
static __always_inline void draw(void *dst, size_t len)
{
	unsigned long flags;
	struct level *l;

	local_irq_save(flags);
	l = claim_level();
	/* The draws of this CPU alone empty it: what is full stays so. */
	if (unlikely(READ_ONCE(l->mail.state) >= MAIL_FULL))
		open_mail(l);
	if (unlikely(!cprng_buffer_pop(&l->buffer, dst, len)))
		refill(l, dst, len);
	/* What is buffered gets old as well, where little is drawn. */
	if (unlikely(is_old(l->buffer.key_tag)) && !READ_ONCE(l->wants))
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
NOKPROBE_SYMBOL(cprng_fast);
EXPORT_SYMBOL_NS(cprng_fast, CPRNG_NAMESPACE);

u32 cprng_fast32(void)
{
	u32 x;

	draw(&x, sizeof(x));
	return x;
}
NOKPROBE_SYMBOL(cprng_fast32);
EXPORT_SYMBOL_NS(cprng_fast32, CPRNG_NAMESPACE);

u64 cprng_fast64(void)
{
	u64 x;

	draw(&x, sizeof(x));
	return x;
}
NOKPROBE_SYMBOL(cprng_fast64);
EXPORT_SYMBOL_NS(cprng_fast64, CPRNG_NAMESPACE);

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

/* -------------------------------------------------------------------------------------------------- from outside */

static struct level *level_of(unsigned int cpu, unsigned int level)
{
	return &per_cpu_ptr(cpus, cpu)->level[level];
}

/* False when a draw reads, or has read in the meantime.  READING does not last: interrupts are off there. */
static bool try_post(struct level *l, const u8 key[CPRNG_KEY_SIZE])
{
	const u32 seen = READ_ONCE(l->mail.state), next = seen == MAIL_FULL ? MAIL_FULL + 1 : MAIL_FULL;
	struct slot *const slot = &l->mail.slot[next - MAIL_FULL];
	bool done;

	if (seen == MAIL_READING)
		return false;
	memcpy(slot->key, key, CPRNG_KEY_SIZE);
	slot->posted = (u32)jiffies;
	cprng_test_point(CPRNG_AT_WRITING);
	done = cmpxchg(&l->mail.state, seen, next) == seen;
	/* Of the two that which is not full now. */
	if (seen != MAIL_EMPTY || !done)
		cprng_wipe(done ? l->mail.slot[seen - MAIL_FULL].key : slot->key, CPRNG_KEY_SIZE);
	return done;
}

/*
 * Interrupts are off from the look at the generation until the key is there: a machine that wakes has stopped all other
 * CPUs in that state, so that it finds no key half written, and no key from before follows its own.
 */
bool cprng_percpu_post(unsigned int cpu, unsigned int level, const u8 key[CPRNG_KEY_SIZE], unsigned long generation)
{
	struct level *l = level_of(cpu, level);
	unsigned long flags;

	cprng_test_point(CPRNG_AT_POST);
	for (;;) {
		local_irq_save(flags);
		if (cprng_generation_changed(generation)) {
			local_irq_restore(flags);
			return false;
		}
		if (try_post(l, key))
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

	if (!READ_ONCE(l->wants))
		return false;
	WRITE_ONCE(l->wants, 0);
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
	return cpus != NULL ? 0 : -ENOMEM;
}

void cprng_percpu_exit(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) cprng_percpu_erase(cpu);
	free_percpu(cpus);
}

#ifdef CPRNG_KERNEL_TEST
/* ------------------------------------------------------------------------------------------------ what tests look at */

void (*cprng_test_hook)(enum cprng_test_point point);
EXPORT_SYMBOL_NS_GPL(cprng_test_hook, CPRNG_TEST_NAMESPACE);

void cprng_test_look(unsigned int cpu, unsigned int level, struct cprng_test_level *seen)
{
	const struct level *l = level_of(cpu, level);

	seen->buffer = &l->buffer;
	seen->mail_state = READ_ONCE(l->mail.state);
	seen->mail = &l->mail;
	seen->mail_size = sizeof(l->mail);
	seen->reseeds = READ_ONCE(l->counters.reseeds);
}
EXPORT_SYMBOL_NS_GPL(cprng_test_look, CPRNG_TEST_NAMESPACE);

struct module *cprng_test_draw(void)
{
	(void)cprng_fast64();
	return THIS_MODULE;
}
EXPORT_SYMBOL_NS_GPL(cprng_test_draw, CPRNG_TEST_NAMESPACE);
#endif
