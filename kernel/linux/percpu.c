/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The draw: each CPU has a buffer (core/buffer.h) that it alone touches, with interrupts off.
 *
 * No lock is taken and no other CPU is waited for, so that a draw may be made under any lock and in any context.  What
 * interrupts-off does not keep out is an NMI: it has a buffer for itself, and so has one that interrupts another.
 *
 * New keys come from outside by mail: a cell for each buffer that its reseeder fills, on whatever CPU, and that the next
 * draw empties.  The buffer itself is never touched from outside.
 *
 *   reseeder                                 draw on the CPU (interrupts off, or an NMI of the other buffer)
 *   EMPTY or FULL -> WRITING (acquire)       FULL -> READING (acquire)
 *   key                                      key
 *   -> FULL (release)                        -> EMPTY (release)
 *
 * A draw that meets WRITING goes on with the key that it has; a reseeder that meets READING waits for the few
 * instructions of the draw.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/hardirq.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "core/buffer.h"
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
	/* A reseed costs as much as a few refills, and is to be had within a second. */
	REFILLS_PER_RESEED = 4096,
	RESEED_INTERVAL = HZ,
};

_Static_assert(SHORT_MAX <= REFILL - CPRNG_KEY_SIZE, "one refill serves a short request");
_Static_assert(SHORT_MAX + REFILL - CPRNG_KEY_SIZE <= CPRNG_BUFFER_SIZE, "there is room for a refill");

enum { MAIL_EMPTY, MAIL_WRITING, MAIL_FULL, MAIL_READING };

struct level {
	struct cprng_buffer buffer;
	struct {
		u32 state;
		u8 key[CPRNG_KEY_SIZE];
	} mail;
	u32 wants; /* a key */
	struct cprng_percpu_counters counters;
};

struct cpu {
	struct level level[CPRNG_LEVELS];
};

static struct cpu __percpu *cpus;
static void (*request_reseed)(void);

/* The tag of a key: when it came by mail, and how many refills descend from it (from 1 on, so that it is not 0). */
static u64 new_tag(void)
{
	return (u64)(u32)jiffies << 32 | 1;
}

static bool is_old(u64 tag)
{
	return (u32)tag >= REFILLS_PER_RESEED || (u32)jiffies - (u32)(tag >> 32) >= RESEED_INTERVAL;
}

/* Of independent keys one is unknown to an attacker: the sum is as unknown as that. */
static noinline void open_mail(struct level *l)
{
	u8 key[CPRNG_KEY_SIZE] = { 0 };
	size_t i;

	if (cmpxchg(&l->mail.state, MAIL_FULL, MAIL_READING) != MAIL_FULL)
		return;
	(void)cprng_buffer_take_key(&l->buffer, key);
	for (i = 0; i < sizeof(key); i++)
		key[i] ^= l->mail.key[i];
	cprng_wipe(l->mail.key, sizeof(l->mail.key));
	smp_store_release(&l->mail.state, MAIL_EMPTY);
	/* What is buffered descends from the key before. */
	cprng_wipe(l->buffer.out, l->buffer.left);
	l->buffer.left = 0;
	cprng_buffer_put_key(&l->buffer, key, new_tag());
	cprng_wipe(key, sizeof(key));
	l->counters.reseeds++;
}

/* The next key, and fresh bytes. */
static noinline void refill(struct level *l)
{
	struct cprng_keystate ks;
	u8 fresh[REFILL] __aligned(64);
	const u64 tag = cprng_buffer_take_key(&l->buffer, fresh);

	/* Every CPU has one before it comes up. */
	if (unlikely(tag == 0))
		panic("cprng: CPU %u has no key\n", raw_smp_processor_id());
	cprng_cipher_start(&ks, fresh);
	cprng_cipher.keystream(&ks, cprng_cipher_engine()->rounds, fresh, REFILL_BLOCKS, 0);
	cprng_buffer_put_key(&l->buffer, fresh, tag + 1);
	cprng_buffer_push(&l->buffer, fresh + CPRNG_KEY_SIZE, REFILL - CPRNG_KEY_SIZE);
	cprng_wipe(fresh, sizeof(fresh));
	cprng_wipe(&ks, sizeof(ks));
	l->counters.refills++;
}

static noinline void ask_for_key(struct level *l)
{
	WRITE_ONCE(l->wants, 1);
	request_reseed();
}

static noinline struct level *level_of_nmi(unsigned long depth)
{
	if (depth > CPRNG_NMI_DEPTH)
		panic("cprng: a draw in NMIs %lu deep\n", depth);
	return &this_cpu_ptr(cpus)->level[CPRNG_LEVEL_NMI + depth - 1];
}

static __always_inline struct level *level_here(void)
{
	const unsigned long nmis = preempt_count() & NMI_MASK;

	return likely(nmis == 0) ? &this_cpu_ptr(cpus)->level[CPRNG_LEVEL_IRQ] : level_of_nmi(nmis >> NMI_SHIFT);
}

/* Up to SHORT_MAX bytes. */
static __always_inline void draw(void *dst, size_t len)
{
	unsigned long flags;
	struct level *l;

	local_irq_save(flags);
	l = level_here();
	if (unlikely(READ_ONCE(l->mail.state) == MAIL_FULL))
		open_mail(l);
	if (unlikely(!cprng_buffer_pop(&l->buffer, dst, len))) {
		refill(l);
		if (unlikely(!cprng_buffer_pop(&l->buffer, dst, len)))
			panic("cprng: a refill gave too little\n");
	}
	/* What is buffered gets old as well, where little is drawn. */
	if (unlikely(is_old(l->buffer.key_tag)) && !l->wants)
		ask_for_key(l);
	local_irq_restore(flags);
}

static noinline void draw_long(u8 *dst, size_t len)
{
	u8 key[CPRNG_KEY_SIZE];
	unsigned long generation;

	do {
		generation = cprng_generation();
		draw(key, sizeof(key));
		cprng_cipher_expand(key, dst, len);
		cprng_wipe(key, sizeof(key));
	} while (unlikely(generation != cprng_generation()));
}

void cprng_fast(void *buf, size_t len)
{
	if (len > SHORT_MAX)
		draw_long(buf, len);
	else if (len != 0)
		draw(buf, len);
}
EXPORT_SYMBOL(cprng_fast);

u32 cprng_fast32(void)
{
	u32 x;

	draw(&x, sizeof(x));
	return x;
}
EXPORT_SYMBOL(cprng_fast32);

u64 cprng_fast64(void)
{
	u64 x;

	draw(&x, sizeof(x));
	return x;
}
EXPORT_SYMBOL(cprng_fast64);

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
EXPORT_SYMBOL(cprng_uniform32);

/* -------------------------------------------------------------------------------------------------- from outside */

static struct level *level_of(unsigned int cpu, unsigned int level)
{
	return &per_cpu_ptr(cpus, cpu)->level[level];
}

void cprng_percpu_post(unsigned int cpu, unsigned int level, const u8 key[CPRNG_KEY_SIZE])
{
	struct level *l = level_of(cpu, level);
	u32 seen = READ_ONCE(l->mail.state);

	/* READING does not last: interrupts are off there, or it is an NMI. */
	while (seen == MAIL_READING || cmpxchg(&l->mail.state, seen, MAIL_WRITING) != seen) {
		cond_resched();
		cpu_relax();
		seen = READ_ONCE(l->mail.state);
	}
	memcpy(l->mail.key, key, CPRNG_KEY_SIZE);
	smp_store_release(&l->mail.state, MAIL_FULL);
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

int cprng_percpu_init(void (*request)(void))
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
