/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A drop-in for sys/crypto/cprng_fast: cprng_fast32(), cprng_fast64(),
 * cprng_fast() and cprng_fast_init().
 *
 * Fast key erasure with per-CPU buffers (core/buffer.h), which only that CPU
 * uses.  A draw takes no lock and raises no interrupt level, and is allowed in
 * threads, soft interrupts and hard interrupts up to IPL_HIGH: each CPU has
 * several states, and a draw that interrupts another takes the next one.
 *
 *   draw: preemption off             interrupt, at any step
 *   depth d -> d + 1
 *                                    depth d + 1 -> d + 2
 *                                    pops, refills: state d + 1
 *                                    depth -> d + 1
 *   pops, refills: state d
 *   depth -> d
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

#include "core/buffer.h"
#include "core/bytes.h"
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
	/*
	 * A draw that interrupts another is rare, and refills by one block:
	 * the next key, and as many bytes.
	 */
	NESTED_SIZE = 128,
	NESTED_BATCH = 2 * CPRNG_KEY_SIZE,
	/* Bytes that the compiler copies without "rep" and without a loop. */
	STEP = 32,
};

struct cpu {
	uint32_t depth; /* of draws, each of which interrupts the one before */
	uint32_t epoch; /* entropy_epoch() before the last key */
	uint32_t keyed; /* time_uptime at the last key */
	uint32_t refills;  /* since then; interrupts may lose one of them */
	bool is_asked_for; /* a soft interrupt is scheduled */
	struct evcnt reseeds;
	/*
	 * The last one, which threads use, is a whole struct cprng_buffer.  The
	 * LEVELS - 1 before it, for draws that interrupt others, are the first
	 * NESTED_SIZE bytes of one.
	 */
	uint8_t states[(LEVELS - 1) * NESTED_SIZE +
	    sizeof(struct cprng_buffer)] __aligned(64);
} __aligned(64);

_Static_assert(
    sizeof(struct cpu) + 63 <= 2048, "half a page for each CPU, aligned");

/* A refill writes the key and the bytes behind it in one piece. */
_Static_assert(offsetof(struct cprng_buffer, out) ==
	offsetof(struct cprng_buffer, key) + CPRNG_KEY_SIZE,
    "the bytes follow the key");
_Static_assert(CPRNG_BATCH_MAX - CPRNG_KEY_SIZE <= CPRNG_BUFFER_SIZE,
    "there is room for a refill");
_Static_assert(offsetof(struct cprng_buffer, key) + NESTED_BATCH <= NESTED_SIZE,
    "there is room for a block");

/*
 * Pointers to the states, not the states: percpu(9) moves its memory when it
 * grows, and frees the old memory without erasing the keys in it.
 */
static percpu_t *cpus __read_mostly;
static void *reseeder __read_mostly;

/* The state of the draw that has interrupted this number of draws. */
CPRNG_INLINE struct cprng_buffer *
state_of(struct cpu *c, uint32_t depth)
{
	uint8_t *const p =
	    c->states + (size_t)(LEVELS - 1 - depth) * NESTED_SIZE;

	return (struct cprng_buffer *)(void *)p;
}

/*
 * cprng_buffer_pop() with loops for other lengths than those of numbers and
 * keys: the kernel's compiler, which uses no vectors, copies and erases these
 * with "rep", whose start takes as long as half of the work.  The CPU completes
 * two stores at a time if both are to one cache line, so a step of the first
 * loop stores 32 bytes before it erases as many.
 */
CPRNG_INLINE bool
pop(struct cprng_buffer *b, void *to, size_t len)
{
	uint8_t *dst = to, *src;

	if (__builtin_constant_p(len) && len <= CPRNG_KEY_SIZE)
		return cprng_buffer_pop(b, dst, len);
	if (b->left < len)
		return false;
	b->left -= (uint32_t)len;
	src = b->out + b->left;
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

static void
add_key(struct cprng_buffer *b, uint8_t key[CPRNG_KEY_SIZE])
{
	/* The sum of both keys is at least as hard to guess as either. */
	if (b->key_tag != 0)
		cprng_xor(key, b->key, CPRNG_KEY_SIZE);
	memcpy(b->key, key, CPRNG_KEY_SIZE);
	b->key_tag = 1;
	/* The buffered bytes descend from the old key. */
	cprng_wipe(b->out, b->left);
	b->left = 0;
}

/*
 * Give new keys, made in this epoch, to the states of a CPU.  Draws that the
 * caller has interrupted use the first states; these get no key, and the next
 * draw asks again.
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

		add_key(state_of(c, i), keys + (size_t)i * CPRNG_KEY_SIZE);
		splx(s);
	}
	cprng_wipe(keys, sizeof(keys));
	if (depth == 0) {
		c->epoch = epoch;
		c->keyed = (uint32_t)time_uptime;
		c->refills = 0;
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
 * The rest of a draw for which too few bytes are left: take these, and then
 * bytes from one or more refills.  A refill expands the key in place, to the
 * next key and fresh bytes.  An interrupt uses another state meanwhile.
 */
static CPRNG_NOINLINE void
refill_and_pop(struct cpu *c, struct cprng_buffer *b, uint8_t *dst, size_t len)
{
	uint8_t *const begin =
	    (uint8_t *)b + offsetof(struct cprng_buffer, key);
	const size_t whole = len;

	if (CPRNG_UNLIKELY(b->key_tag == 0))
		cannot_draw("key");
	do {
		const size_t left = b->left;
		const size_t size = c->depth == 1 ? cprng_cipher_batch(whole) :
						    NESTED_BATCH;

		(void)pop(b, dst, left);
		dst += left;
		len -= left;
		cprng_cipher_expand(begin, begin, size);
		b->left = (uint32_t)size - CPRNG_KEY_SIZE;
		c->refills++;
	} while (len > b->left);
	(void)pop(b, dst, len);
	/*
	 * One draw of a byte must not leave all later draws of numbers at odd
	 * addresses.
	 */
	b->left &= -(uint32_t)CPRNG_BUFFER_ALIGN;
	if (c->refills >= REFILLS_PER_RESEED)
		ask_for_key(c);
}

/* In a draw that interrupts another: more bytes than its state can have. */
static CPRNG_NOINLINE void
expand_nested(struct cpu *c, struct cprng_buffer *b, uint8_t *dst, size_t len)
{
	uint8_t key[CPRNG_KEY_SIZE];

	if (!cprng_buffer_pop(b, key, sizeof(key)))
		refill_and_pop(c, b, key, sizeof(key));
	cprng_cipher_expand(key, dst, len);
	cprng_wipe(key, sizeof(key));
}

/* Up to SHORT_MAX bytes. */
CPRNG_INLINE void
draw(void *dst, size_t len)
{
	struct cpu *c = *(struct cpu **)percpu_getref(cpus);
	struct cprng_buffer *b;
	uint32_t depth;

	if (CPRNG_UNLIKELY(c->epoch != entropy_epoch()))
		c = begin_epoch(c);
	depth = c->depth;
	if (CPRNG_UNLIKELY(depth >= LEVELS))
		cannot_draw("state");
	c->depth = depth + 1;
	__insn_barrier();
	b = state_of(c, depth);
	if (CPRNG_UNLIKELY(!pop(b, dst, len))) {
		if (depth != 0 && len > CPRNG_KEY_SIZE)
			expand_nested(c, b, dst, len);
		else
			refill_and_pop(c, b, dst, len);
	}
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
