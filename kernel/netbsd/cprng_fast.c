/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A drop-in for sys/crypto/cprng_fast: cprng_fast32(), cprng_fast64(), cprng_fast() and cprng_fast_init().
 *
 * Fast key erasure with a buffer for each CPU (core/buffer.h), which only that CPU uses, at IPL_VM.  So a draw takes no
 * lock, and may be made in threads, soft interrupts and hard interrupts up to IPL_VM, as with NetBSD's own.  Soft interrupts of
 * the CPU itself bring new keys from cprng_strong(9).
 */
#include <sys/param.h>
#include <sys/cprng.h>
#include <sys/cpu.h>
#include <sys/intr.h>
#include <sys/kernel.h>
#include <sys/kmem.h>
#include <sys/percpu.h>
#include <sys/rnd.h>
#include <sys/systm.h>
#include <sys/timevar.h>

#include "core/buffer.h"
#include "core/bytes.h"
#include "engine/expand.h"
#include "kernel/netbsd/glue.h"

enum {
	/*
	 * The most that a draw generates at IPL_VM: about a thousand cycles either way.  "Hundreds or even a couple thousands of
	 * cycles of crypto are probably acceptable" there ("cprng_fast and interrupts", 22 April 2014).
	 */
	PORTABLE_BLOCKS = 4,
	VECTOR_BLOCKS = 16,
	REFILL_MAX = VECTOR_BLOCKS * 64,
	/* A longer request takes a key, and expands it at the level of the caller; kern.arandom gives up to 256 bytes. */
	SHORT_MAX = 256,
	/* A new key costs as much as some refills. */
	REFILLS_PER_RESEED = 4096,
	/* Seconds after which a key is replaced where it is used. */
	RESEED_SECONDS = 1,
};

/* Of the fresh bytes those of a request leave at once, and fewer than those were there. */
_Static_assert(REFILL_MAX - CPRNG_KEY_SIZE <= CPRNG_BUFFER_SIZE, "there is room for a refill");

struct state {
	struct cprng_buffer buffer;
	uint32_t keyed;   /* time_uptime at the last key; earlier, when the pool did not have its initial entropy yet */
	uint32_t refills; /* since then */
	bool is_asked_for; /* a soft interrupt is scheduled */
} __aligned(64);

/*
 * Pointers to the states.  Not the states: percpu(9) moves its memory when it grows, and frees what it moved from with the
 * keys still in it.
 */
static percpu_t *states __read_mostly;
static void *reseeder __read_mostly;
static size_t refill_size __read_mostly, short_max __read_mostly;

static void put_key(struct state *st, uint8_t key[CPRNG_KEY_SIZE], bool is_full)
{
	/* The sum of both: a key that was known is not made worse by a source that is. */
	if (st->buffer.key_tag != 0) {
		cprng_xor(key, st->buffer.key, CPRNG_KEY_SIZE);
		st->buffer.key_tag = 0;
	}
	cprng_buffer_put_key(&st->buffer, key, 1);
	/* The buffered bytes descend from the key before. */
	cprng_wipe(st->buffer.out, st->buffer.left);
	st->buffer.left = 0;
	st->keyed = (uint32_t)time_uptime - (is_full ? 0 : RESEED_SECONDS);
	st->refills = 0;
	st->is_asked_for = false;
}

/* In a soft interrupt of the CPU that asked. */
static void reseed(void *cookie)
{
	/* Before the key: a pool that fills up meanwhile gives another one. */
	const bool is_full = rnd_initial_entropy;
	uint8_t key[CPRNG_KEY_SIZE];
	int s;

	(void)cookie;
	(void)cprng_strong(kern_cprng, key, sizeof(key), 0);
	s = splvm();
	put_key(*(struct state **)percpu_getref(states), key, is_full);
	percpu_putref(states);
	splx(s);
	cprng_wipe(key, sizeof(key));
}

static CPRNG_NOINLINE void ask_for_key(struct state *st)
{
	if (!st->is_asked_for) {
		st->is_asked_for = true;
		softint_schedule(reseeder);
	}
}

/* Expand the key to the next key and fresh bytes: the last bytes go to the caller, the others into the buffer. */
static CPRNG_NOINLINE void refill(struct state *st, void *dst, size_t len)
{
	uint8_t fresh[REFILL_MAX] __aligned(64);
	const size_t size = refill_size;
	const uint64_t tag = cprng_buffer_take_key(&st->buffer, fresh);

	/* There are no random bytes, and the caller gets no error code. */
	if (CPRNG_UNLIKELY(tag == 0))
		panic("cprng: no key for a draw on CPU %u", cpu_index(curcpu()));
	cprng_cipher_expand(fresh, fresh, size);
	cprng_buffer_put_key(&st->buffer, fresh, tag);
	memcpy(dst, fresh + size - len, len);
	cprng_buffer_push(&st->buffer, fresh + CPRNG_KEY_SIZE, size - CPRNG_KEY_SIZE - len);
	cprng_wipe(fresh, size);
	if (++st->refills >= REFILLS_PER_RESEED)
		ask_for_key(st);
}

/* Up to short_max bytes. */
CPRNG_INLINE void draw(void *dst, size_t len)
{
	struct state *const st = *(struct state **)percpu_getref(states);
	const int s = splvm();

	if (CPRNG_UNLIKELY(!cprng_buffer_pop(&st->buffer, dst, len)))
		refill(st, dst, len);
	/* Where little is drawn, the buffered bytes age as well. */
	if (CPRNG_UNLIKELY((uint32_t)time_uptime - st->keyed >= RESEED_SECONDS))
		ask_for_key(st);
	splx(s);
	percpu_putref(states);
}

static CPRNG_NOINLINE void draw_long(uint8_t *dst, size_t len)
{
	uint8_t key[CPRNG_KEY_SIZE];

	draw(key, sizeof(key));
	cprng_cipher_expand(key, dst, len);
	cprng_wipe(key, sizeof(key));
}

size_t cprng_fast(void *buf, size_t len)
{
	if (len > short_max)
		draw_long(buf, len);
	/* Lengths that the compiler knows it copies and wipes without "rep", which takes longer than the rest. */
	else if (len == 16)
		draw(buf, 16);
	else if (len == 32)
		draw(buf, 32);
	else if (len != 0)
		draw(buf, len);
	return len;
}

uint32_t cprng_fast32(void)
{
	uint32_t x, number;

	draw(&x, sizeof(x));
	number = x;
	cprng_wipe(&x, sizeof(x));
	return number;
}

uint64_t cprng_fast64(void)
{
	uint64_t x, number;

	draw(&x, sizeof(x));
	number = x;
	cprng_wipe(&x, sizeof(x));
	return number;
}

static void init_cpu(void *p, void *first, struct cpu_info *ci)
{
	struct state *const st = (struct state *)first + cpu_index(ci);
	const bool is_full = rnd_initial_entropy;
	uint8_t key[CPRNG_KEY_SIZE];

	(void)cprng_strong(kern_cprng, key, sizeof(key), 0);
	put_key(st, key, is_full);
	cprng_wipe(key, sizeof(key));
	*(struct state **)p = st;
}

/* After all CPUs are attached, of which a later one has no state; and before the first draw.  The states are never freed. */
void cprng_fast_init(void)
{
	void *memory;

	cprng_cipher_init();
	refill_size = (cprng_cipher_has_vectors() ? VECTOR_BLOCKS : PORTABLE_BLOCKS) * 64;
	/* One refill serves a short request. */
	short_max = MIN((size_t)SHORT_MAX, refill_size - CPRNG_KEY_SIZE);
	memory = kmem_zalloc(ncpu * sizeof(struct state) + 63, KM_SLEEP);
	states = percpu_alloc(sizeof(struct state *));
	percpu_foreach(states, init_cpu, (void *)roundup2((uintptr_t)memory, 64));
	reseeder = softint_establish(SOFTINT_SERIAL | SOFTINT_MPSAFE, reseed, NULL);
}
