/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A drop-in for sys/crypto/cprng_fast: cprng_fast32(), cprng_fast64(),
 * cprng_fast() and cprng_fast_init().
 *
 * Fast key erasure with per-CPU buffers, which only that CPU uses.  A draw
 * takes no lock and raises no interrupt level, and is allowed in threads, soft
 * interrupts and hard interrupts up to IPL_HIGH: each CPU has several keys, and
 * a draw that interrupts another uses the next one.  Only the first key has a
 * buffer.
 *
 *   draw: preemption off             interrupt, at any step
 *   depth 0 -> 1
 *                                    depth 1 -> 2
 *                                    expands key 1
 *                                    depth -> 1
 *   pops, expands key 0
 *   depth -> 0
 *
 * On one CPU, draws end in reverse order of their beginnings, so plain loads
 * and stores suffice: an interrupt between the load of the depth and its store
 * has restored the depth.
 *
 * New keys come from cprng_strong(9): in the draw that finds a new epoch of the
 * entropy pool, or else from a soft interrupt.
 */
#include <sys/cdefs.h>
__KERNEL_RCSID(0, "$NetBSD$");

#include <sys/param.h>
#include <sys/cprng.h>
#include <sys/cpu.h>
#include <sys/evcnt.h>
#include <sys/intr.h>
#include <sys/kernel.h>
#include <sys/kmem.h>
#include <sys/systm.h>
#include <sys/timevar.h>

#include "core/bytes.h"
#include "core/wipe.h"
#include "kernel/netbsd/compat.h"
#include "kernel/netbsd/glue.h"

enum {
	/*
	 * The maximum that kern.arandom gives.  A longer request takes a key,
	 * and expands it with preemption on.
	 */
	SHORT_MAX = 256,
	/* A new key costs as much as a few refills. */
	REFILLS_PER_RESEED = 4096,
	/* The age in seconds at which a draw requests a new key. */
	RESEED_SECONDS = 1,
	/*
	 * One for each level of hard and soft interrupts in NetBSD, and one for
	 * threads.
	 */
	LEVELS = 8,
	/* That of the largest number. */
	ALIGNMENT = 8,
	/* A refill is pushed on what is left, too little for a draw. */
	BUFFER_SIZE = SHORT_MAX - ALIGNMENT + CPRNG_BATCH_MAX,
	/* Bytes that the compiler copies without "rep" and without a loop. */
	STEP = 32,
};

struct cpu {
	uint32_t depth; /* of draws, each of which interrupts the one before */
	uint32_t left;  /* out[0] to out[left - 1] are fresh */
	uint32_t epoch; /* entropy_epoch() before the last key */
	uint32_t keyed; /* time_uptime at the last key */
	uint32_t refills;  /* since then; interrupts may lose one of them */
	bool is_asked_for; /* a soft interrupt is scheduled */
	bool has_keys;
	struct evcnt reseeds;
	uint8_t keys[LEVELS][CPRNG_KEY_SIZE]; /* one for each depth */
	uint8_t out[BUFFER_SIZE] __aligned(64);
} __aligned(64);

_Static_assert(
    sizeof(struct cpu) + 63 <= 2048, "half a page for each CPU, aligned");

/*
 * Pointers, because percpu(9) moves its memory when it grows, and frees the old
 * memory without erasing keys in it.
 */
static percpu_t *cpus __read_mostly;
static void *reseeder __read_mostly;

/*
 * Pop len bytes; false, and nothing done, if there are fewer.  Loops for other
 * lengths than those of numbers and keys: the kernel's compiler, which uses no
 * vectors, copies and erases these with "rep", whose start takes as long as
 * half of the work.  The CPU completes two stores at a time if both are to one
 * cache line, so a step of the first loop stores 32 bytes before it erases as
 * many.
 */
CPRNG_INLINE bool
pop(struct cpu *c, void *to, size_t len)
{
	uint8_t *dst = to, *src;

	if (c->left < len)
		return false;
	c->left -= (uint32_t)len;
	src = c->out + c->left;
	if (__builtin_constant_p(len) && len <= STEP) {
		memcpy(dst, src, len);
		cprng_wipe(src, len);
		return true;
	}
	for (; len >= STEP; len -= STEP) {
		memcpy(dst, src, STEP);
		cprng_wipe(src, STEP);
		src += STEP;
		dst += STEP;
	}
	for (; len >= sizeof(uint64_t); len -= sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, src, sizeof(word));
		memset(src, 0, sizeof(word));
		/* It stays one loop, and the zeros stay. */
		__asm__ volatile("" : "+r"(word) : : "memory");
		memcpy(dst, &word, sizeof(word));
		src += sizeof(word);
		dst += sizeof(word);
	}
	if (len != 0) {
		memcpy(dst, src, len);
		cprng_wipe(src, len);
	}
	return true;
}

/*
 * Add new keys, made in this epoch, to those of a CPU.  Draws that the caller
 * has interrupted use the first ones; these stay, and the next draw asks again.
 */
static void
add_keys(struct cpu *c, const uint8_t seed[CPRNG_KEY_SIZE], uint32_t epoch)
{
	uint8_t keys[LEVELS * CPRNG_KEY_SIZE];
	const uint32_t depth = c->depth;
	uint32_t i;

	cprng_cipher_expand(seed, keys, sizeof(keys));
	for (i = depth; i < LEVELS; i++) {
		const int s = splhigh();

		/* The sum of both is at least as hard to guess as either. */
		cprng_xor(c->keys[i], keys + (size_t)i * CPRNG_KEY_SIZE,
		    CPRNG_KEY_SIZE);
		if (i == 0) {
			/* The buffered bytes descend from the old key. */
			cprng_wipe(c->out, c->left);
			c->left = 0;
		}
		splx(s);
	}
	cprng_wipe(keys, sizeof(keys));
	if (depth == 0) {
		c->epoch = epoch;
		c->keyed = (uint32_t)time_uptime;
		c->refills = 0;
		c->has_keys = true;
	}
	c->is_asked_for = false;
}

/*
 * Reseed the CPU on which this function ends.  In a thread or a soft interrupt.
 */
static void
reseed(void *cookie)
{
	/*
	 * Load the epoch before the key: a pool that fills up in between causes
	 * another reseed.
	 */
	const uint32_t epoch = entropy_epoch();
	uint8_t seed[CPRNG_KEY_SIZE];
	struct cpu *c;

	(void)cookie;
	(void)cprng_strong(kern_cprng, seed, sizeof(seed), 0);
	c = *(struct cpu **)percpu_getref(cpus);
	add_keys(c, seed, epoch);
	c->reseeds.ev_count++;
	percpu_putref(cpus);
	cprng_wipe(seed, sizeof(seed));
}

static void
ask_for_key(struct cpu *c)
{
	if (!c->is_asked_for) {
		c->is_asked_for = true;
		softint_schedule(reseeder);
	}
}

/*
 * Not in a hard interrupt, nor with interrupts blocked: NetBSD 10's
 * cprng_strong(9) allows neither.
 */
static bool
may_take_key(void)
{
	const int s = splsoftserial();

	splx(s);
	return !cpu_intr_p() && s <= IPL_SOFTSERIAL;
}

/*
 * The draw that finds a new epoch gets new keys before it continues, as in
 * NetBSD's own, if it may take them.  Returns the states of the CPU on which
 * the caller now runs.
 */
static CPRNG_NOINLINE struct cpu *
begin_epoch(struct cpu *c)
{
	if (!may_take_key()) {
		ask_for_key(c);
		return c;
	}
	/*
	 * Repeat if the caller has moved to another CPU.  A soft interrupt
	 * during a draw does not move.
	 */
	do {
		percpu_putref(cpus);
		reseed(NULL);
		c = *(struct cpu **)percpu_getref(cpus);
	} while (c->depth == 0 && c->epoch != entropy_epoch());
	return c;
}

static CPRNG_NOINLINE __dead void
cannot_draw(const char *what)
{
	/* There are no random bytes, and the caller receives no error code. */
	panic("cprng: no %s for a draw on CPU %u", what, cpu_index(curcpu()));
}

/*
 * A draw for which too few bytes are left.  A refill expands the key, and pushes
 * fresh bytes; the last 32 are the next key.
 */
static CPRNG_NOINLINE void
refill_and_pop(struct cpu *c, void *dst, size_t len)
{
	if (CPRNG_UNLIKELY(!c->has_keys))
		cannot_draw("key");
	do {
		const size_t size = cprng_cipher_batch(len);
		uint8_t *fresh, *next;

		/*
		 * One draw of a byte must not leave all later draws of numbers
		 * at odd addresses.
		 */
		c->left &= -(uint32_t)ALIGNMENT;
		fresh = c->out + c->left;
		cprng_cipher_expand(c->keys[0], fresh, size);
		c->left += (uint32_t)size - CPRNG_KEY_SIZE;
		next = c->out + c->left;
		memcpy(c->keys[0], next, CPRNG_KEY_SIZE);
		cprng_wipe(next, CPRNG_KEY_SIZE);
		c->refills++;
	} while (c->left < len);
	(void)pop(c, dst, len);
	if (c->refills >= REFILLS_PER_RESEED)
		ask_for_key(c);
}

/*
 * A draw that interrupts another.  These are rare, and so each takes a block:
 * the next key, and as many bytes, which are the key of a longer request.
 */
static CPRNG_NOINLINE void
draw_nested(struct cpu *c, uint32_t depth, void *dst, size_t len)
{
	uint8_t *key = c->keys[depth], block[2 * CPRNG_KEY_SIZE];

	if (CPRNG_UNLIKELY(!c->has_keys))
		cannot_draw("key");
	cprng_cipher_expand(key, block, sizeof(block));
	memcpy(key, block, CPRNG_KEY_SIZE);
	if (len <= CPRNG_KEY_SIZE)
		memcpy(dst, block + CPRNG_KEY_SIZE, len);
	else
		cprng_cipher_expand(block + CPRNG_KEY_SIZE, dst, len);
	cprng_wipe(block, sizeof(block));
}

/* Up to SHORT_MAX bytes. */
CPRNG_INLINE void
draw(void *dst, size_t len)
{
	struct cpu *c = *(struct cpu **)percpu_getref(cpus);
	uint32_t depth;

	if (CPRNG_UNLIKELY(c->epoch != entropy_epoch()))
		c = begin_epoch(c);
	depth = c->depth;
	if (CPRNG_UNLIKELY(depth >= LEVELS))
		cannot_draw("state");
	c->depth = depth + 1;
	__insn_barrier();
	if (CPRNG_UNLIKELY(depth != 0))
		draw_nested(c, depth, dst, len);
	else if (CPRNG_UNLIKELY(!pop(c, dst, len)))
		refill_and_pop(c, dst, len);
	__insn_barrier();
	c->depth = depth;
	/* If few bytes are drawn, buffered bytes grow old, too. */
	if (CPRNG_UNLIKELY((uint32_t)time_uptime - c->keyed >= RESEED_SECONDS))
		ask_for_key(c);
	percpu_putref(cpus);
}

static CPRNG_NOINLINE void
draw_long(uint8_t *dst, size_t len)
{
	uint8_t key[CPRNG_KEY_SIZE];

	draw(key, sizeof(key));
	cprng_cipher_expand(key, dst, len);
	cprng_wipe(key, sizeof(key));
}

size_t
cprng_fast(void *buf, size_t len)
{
	if (len > SHORT_MAX)
		draw_long(buf, len);
	/*
	 * For constant lengths the compiler copies and erases without "rep" and
	 * without branches.
	 */
	else if (len == 16)
		draw(buf, 16);
	else if (len == 32)
		draw(buf, 32);
	else if (len == SHORT_MAX)
		draw(buf, SHORT_MAX);
	else if (len != 0)
		draw(buf, len);
	return len;
}

uint32_t
cprng_fast32(void)
{
	uint32_t x, number;

	draw(&x, sizeof(x));
	number = x;
	cprng_wipe(&x, sizeof(x));
	return number;
}

uint64_t
cprng_fast64(void)
{
	uint64_t x, number;

	draw(&x, sizeof(x));
	number = x;
	cprng_wipe(&x, sizeof(x));
	return number;
}

/* The states are never freed. */
static void
init_cpu(void *p, void *cookie, struct cpu_info *ci)
{
	void *const memory = kmem_zalloc(sizeof(struct cpu) + 63, KM_SLEEP);
	struct cpu *const c = (struct cpu *)roundup2((uintptr_t)memory, 64);
	const uint32_t epoch = entropy_epoch();
	uint8_t seed[CPRNG_KEY_SIZE];

	(void)cookie;
	(void)cprng_strong(kern_cprng, seed, sizeof(seed), 0);
	add_keys(c, seed, epoch);
	cprng_wipe(seed, sizeof(seed));
	/* The first CPU may have no name yet. */
	evcnt_attach_dynamic(&c->reseeds, EVCNT_TYPE_MISC, NULL,
	    ci->ci_cpuname[0] != '\0' ? ci->ci_cpuname : "cpu0",
	    "cprng_fast reseed");
	*(struct cpu **)p = c;
}

/* Before the first draw. */
void
cprng_fast_init(void)
{
	cprng_cipher_init();
	cprng_cipher_init_vectors();
	reseeder =
	    softint_establish(SOFTINT_SERIAL | SOFTINT_MPSAFE, reseed, NULL);
	cpus = percpu_create(sizeof(struct cpu *), init_cpu, NULL, NULL);
}
