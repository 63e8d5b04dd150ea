/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The fast generator: fast key erasure (D. J. Bernstein, "Fast-key-erasure random-number generators", 2017,
 * https://blog.cr.yp.to/20170723-random.html) over AES-256-CTR or ChaCha20, with a buffer for each CPU.
 *
 *      buffer of a CPU                          refill, on the stack of the thread that found it short
 *
 *      key, tag  ----------- take_key ------->  key  (+ fresh bytes, when a reseed is due)
 *          ^                                     |
 *          |                                     |  keystream; the expanded key is wiped
 *          |                                     v
 *          +---------------- put_key ---------  next key | the request | the rest
 *                                                            |            |
 *      out[0 .. left)  <---- push ---------------------------|------------+
 *          |                                                 v
 *          +-- pop, from the top; erased --> caller         caller
 *
 * Backtracking resistance (SP 800-90A; also called forward secrecy): a pop erases what it serves in the same step, and a
 * key is removed before it is used and replaced by its own output.  Prediction resistance (recovery from a disclosure): each
 * reseed, by the rules in draw.h.  Requests longer than CPRNG_SHORT_MAX take 32 bytes as a one-time key and expand it into the
 * caller's memory.  The buffer is never locked: each of the four operations is complete in itself (placement.h), and a key that
 * is lost between two of them costs a call to the kernel.
 */
#include "process/draw.h"

#include "core/bytes.h"
#include "core/wipe.h"
#include "cpu/random_instructions.h"
#include "cpu/registers.h"
#include "engine/expand.h"
#include "process/check.h"
#include "process/generation.h"
#include "process/inlined.h"
#include "process/kernel_bytes.h"
#include "process/lengths.h"
#include "process/percpu_few.h"
#include "process/process_fortuna.h"
#include "process/vfork.h"
#include "process/vm_clone.h"

enum {
	/* Draws from this size on refill the whole buffer: at 256 bytes per request the key set-up would cost too much. */
	BULK_MIN = 64,
	/*
	 * From this size on a one-time key has its own keystream position.  Reading the counter takes 7 to 12 ns: 4% of the time
	 * for 4 KiB of AES, a tenth of that for 1 KiB.
	 */
	POSITION_MIN = 4096,
	/* From this size on the position always has a word of RDRAND or RNDR: 17 to 73 ns, 2% of the time for 64 KiB. */
	RANDOM_POSITION_MIN = 1 << 16,
	/*
	 * Generations in which a draw is tried.  Without a bound, threads that invalidate the process more often than a draw of
	 * 64 MiB takes (some milliseconds) would keep it from completing.
	 */
	GENERATIONS_MAX = 2,
};

_Static_assert(CPRNG_REFILL_CHUNKS *CPRNG_REFILL_CHUNK - CPRNG_KEY_LINE <= CPRNG_BUFFER_SIZE, "all chunks fit");
_Static_assert(CPRNG_KEY_LINE + CPRNG_SHORT_MAX + CPRNG_PUSH_MIN <= CPRNG_REFILL_CHUNK,
	       "the first chunk serves the request");
_Static_assert(sizeof(struct cprng_keystate) % 64 == 0, "whole lines to wipe");
_Static_assert(CPRNG_REFILL_CHUNK % CPRNG_BLOCK_SIZE_MAX == 0, "whole blocks");

/*
 * The tag of a key: the refills since its last reseed, whether the buffer may hold more than a small refill pushes, the reseeds
 * since the last one by system call, and the second of that call.  Never 0, which means that there is no key: refills count from 1.
 */
enum { TAG_REFILLS = 0x7fff, TAG_FILLED = 0x8000 };

static uint64_t tag_of(uint32_t refills, uint32_t reseeds, uint32_t seconds)
{
	return (uint64_t)seconds << 32 | reseeds << 16 | refills;
}

_Static_assert(CPRNG_REFILLS_PER_RESEED <= TAG_REFILLS && CPRNG_RESEEDS_PER_CALL < 1 << 16, "the tag has room");

/* Mix in data that differs between clones of the machine: the kernel may give two clones the same key. */
static void diverge(const struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE])
{
	if (p->announcements != NULL)
		cprng_vm_clone_diverge(p, key);
}

static void key_from_kernel(const struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE])
{
	cprng_kernel_bytes_by_call(key, CPRNG_KEY_SIZE);
	diverge(p, key);
}

/* Complete the key that was taken with this tag, for one refill, and return the tag of the next key. */
static uint64_t fresh_key(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE], uint64_t tag)
{
	const uint32_t refills = tag & TAG_REFILLS, reseeds = tag >> 16 & 0xffff, seconds = cprng_os_seconds();
	uint32_t taken = (uint32_t)(tag >> 32);
	uint8_t fresh[CPRNG_KEY_SIZE];

	CPRNG_CHECK_THAT(tag == 0 || (refills >= 1 && refills <= CPRNG_REFILLS_PER_RESEED &&
				      reseeds < CPRNG_RESEEDS_PER_CALL),
			 "the tag of a key is one that a refill has given it");
	if (tag == 0) {
		/* By system call: this may follow an invalidation, and the vDSO's state may be older than that. */
		key_from_kernel(p, key);
		return tag_of(1, 0, seconds);
	}
	if (CPRNG_LIKELY(seconds - taken < CPRNG_SECONDS_PER_RESEED)) {
		if (refills < CPRNG_REFILLS_PER_RESEED)
			return tag_of(refills + 1, reseeds, taken);
		/* Without a clock every reseed is by system call. */
		if (reseeds + 1 < (seconds != 0 ? CPRNG_RESEEDS_PER_CALL : 1)) {
			cprng_kernel_bytes_by_vdso(p, fresh, sizeof(fresh));
			cprng_xor(key, fresh, CPRNG_KEY_SIZE);
			cprng_wipe(fresh, sizeof(fresh));
			return tag_of(1, reseeds + 1, taken);
		}
	}
	cprng_kernel_bytes_by_call(fresh, sizeof(fresh));
	cprng_xor(key, fresh, CPRNG_KEY_SIZE);
	if (!cprng_strong_is_used(p)) {
		taken = seconds;
	} else if (cprng_strong_try_key(p, fresh)) {
		/* The pools' entropy. */
		cprng_xor(key, fresh, CPRNG_KEY_SIZE);
		taken = seconds;
	}
	/* If another thread holds a lock of the pools, the next refill tries again. */
	cprng_wipe(fresh, sizeof(fresh));
	return tag_of(1, 0, taken);
}

/*
 * Return true for the first keystream position on this CPU, or in this slot, for some microseconds; always true if there are
 * no buffers, or they are disabled.
 *
 * Event:    another thread, or a handler, takes a position between the load and the store.
 * Reason:   both take a random word, or the next position takes none.
 * Pairing:  none: an extra word costs little, and a position without one still has the counter.
 */
CPRNG_INLINE bool is_new_period(struct cprng_process *p, uint32_t period)
{
	const uint32_t index = p->placement->index(p);
	uint32_t *last;

	if (index >= p->buffer_count || cprng_buffers_disabled(p))
		return true;
	last = &p->buffers[index].period;
	if (__atomic_load_n(last, __ATOMIC_RELAXED) == period)
		return false;
	__atomic_store_n(last, period, __ATOMIC_RELAXED);
	return true;
}

/*
 * Return a keystream position that no other copy of the machine or process uses, so that unannounced copies diverge: the CPU's
 * counter, and a word of its random number instruction.  Making a copy takes longer than a period, so the copy's first position
 * has a word; if the hypervisor restores the counter, a word comes with the next period.  Positions within the same
 * microseconds have no word, because RDRAND takes up to some hundred nanoseconds.
 *
 * A key generates only one keystream, so no position is bad: one that an attacker chooses without knowing the key reveals no
 * more than zero would.  The words need neither entropy nor a health test.
 */
static CPRNG_NO_CANARY struct cprng_position position_for(struct cprng_process *p, bool with_word)
{
	struct cprng_position position = { 0, 0 };
	uint32_t period;

	position.nonce = cprng_cpu_count(&period);
	if (p->random_word && (is_new_period(p, period) || with_word))
		position.block = cprng_cpu_random_word();
	return position;
}

/*
 * Return true if a refill has its own keystream position: the first one after a refill that left a full buffer, and then one in
 * each 4 KiB.  Copies then share at most a full buffer: other refills find less than BULK_MIN bytes below what they push.
 *
 * Refills are counted from the last reseed, which the clock may cause at any time.  So refill number 1 after a reseed always has
 * its own position, and so has the first one from a key of the kernel.
 */
CPRNG_INLINE bool has_own_position(uint64_t taken, uint64_t tag, size_t chunks)
{
	return (taken & TAG_FILLED) != 0 || ((tag & TAG_REFILLS) - 1) * chunks % CPRNG_REFILL_CHUNKS == 0;
}

/*
 * Return true if the buffer holds bytes that a draw of this size could have popped: the restartable sequence of its pop was
 * aborted by a preemption.  The refill pushes onto these bytes.  (After a migration, or if another slot
 * is claimed, this looks at another buffer.)
 */
CPRNG_INLINE bool has_unpopped(struct cprng_process *p)
{
	const uint32_t index = p->placement->index(p);

	return index < p->buffer_count && __atomic_load_n(&p->buffers[index].left, __ATOMIC_RELAXED) >= BULK_MIN;
}

/* Expand the key in `last` to len bytes.  Afterwards `last` may hold keystream: the caller wipes it. */
static CPRNG_NO_CANARY void expand_all(const struct cprng_process *p, struct cprng_position position, uint8_t *last,
				       uint8_t *dst, size_t len)
{
	struct cprng_keystate ks;

	cprng_expand_key_at(&ks, p->engine, p->backend, last, position);
	cprng_expand(&ks, p->engine, p->backend, dst, len, last, len >= CPRNG_STREAMING_MIN ? CPRNG_STREAMING : 0);
	cprng_wipe_lines(&ks, sizeof(ks));
}

/* Fill dst with bytes of the kernel, or from a key of the kernel. */
static CPRNG_NO_CANARY void draw_from_kernel(struct cprng_process *p, uint8_t *dst, size_t len)
{
	uint8_t last[CPRNG_BLOCK_SIZE_MAX] __attribute__((aligned(64)));

	if (len <= CPRNG_SHORT_MAX && p->announcements == NULL) {
		cprng_kernel_bytes_to_caller(dst, len);
		return;
	}
	key_from_kernel(p, last);
	expand_all(p, position_for(p, true), last, dst, len);
	cprng_wipe(last, sizeof(last));
	cprng_clear_registers();
}

/* Return true if the kernel's bytes may serve as the draw.  It may give two clones of a machine the same bytes. */
static bool is_short_for_kernel(const struct cprng_process *p, size_t len)
{
	return len <= CPRNG_KEY_SIZE && p->announcements == NULL;
}

/* Return the number of kernel bytes for the first draw of a generation: the draw itself if short, else a key. */
static size_t first_len(const struct cprng_process *p, size_t len)
{
	return is_short_for_kernel(p, len) ? len : CPRNG_KEY_SIZE;
}

/* The first draw of a generation: first->bytes, or their expansion as a key. */
CPRNG_NOINLINE CPRNG_HOT static void draw_first(struct cprng_process *p, struct cprng_first_draw *first, uint8_t *dst,
						size_t len)
{
	uint8_t last[CPRNG_BLOCK_SIZE_MAX] __attribute__((aligned(64)));

	if (is_short_for_kernel(p, len)) {
		cprng_copy_few(dst, first->bytes, len);
	} else {
		memcpy(last, first->bytes, CPRNG_KEY_SIZE);
		diverge(p, last);
		expand_all(p, position_for(p, true), last, dst, len);
		cprng_wipe(last, sizeof(last));
	}
	cprng_wipe(first->bytes, sizeof(first->bytes));
	cprng_clear_registers();
}

/*
 * Fill dst where no wiped page shows a fork.  Signals are blocked during a piece, so a handler can fork only between pieces.
 * The child then sees another process number and generates all len bytes again.  (A child that is process 1 of its own
 * PID namespace may have its parent's number: then both have the bytes of that request.)
 */
static CPRNG_NO_CANARY void draw_unbuffered(struct cprng_process *p, uint8_t *dst, size_t len)
{
	struct cprng_os_signals signals;
	long pid;

	do {
		pid = cprng_os_process_id();
		for (size_t at = 0, n; at < len; at += n) {
			n = len - at < UNBUFFERED_MAX ? len - at : UNBUFFERED_MAX;
			cprng_touch_pages(dst + at, n);
			cprng_os_block_signals(&signals);
			draw_from_kernel(p, dst + at, n);
			cprng_os_restore_signals(&signals);
		}
	} while (cprng_os_process_id() != pid);
}

/*
 * Event:    a signal handler forks in the middle of a refill, and parent and child continue with one key.
 * Reason:   the child would put the parent's next key and push the parent's bytes.
 * Pairing:  put_key and push compare the generation, which the fork has wiped, in the same sequence as they write; and the
 *           caller's loop gives the child other bytes for dst.
 */
CPRNG_NOINLINE CPRNG_HOT static void refill(struct cprng_process *p, uint64_t generation, uint8_t *dst, size_t len)
{
	/* Rounded up, so that the next draw is aligned. */
	const size_t request = (len + CPRNG_BUFFER_ALIGN - 1) / CPRNG_BUFFER_ALIGN * CPRNG_BUFFER_ALIGN;
	const size_t chunks = len >= BULK_MIN ? CPRNG_REFILL_CHUNKS : p->small_refill;
	/* One object, so that one pass wipes both. */
	struct {
		struct cprng_keystate ks;
		uint8_t chunk[CPRNG_REFILL_CHUNK];
	} __attribute__((aligned(64))) work;
	const uint64_t taken = p->placement->take_key(p, work.chunk);
	uint64_t tag = fresh_key(p, work.chunk, taken);
	struct cprng_position position = { 0, 0 };

	/* After a reseed with a word, even if the counter stands still: the kernel may have given its bytes twice. */
	if (has_own_position(taken, tag, chunks))
		position = position_for(p, (tag & TAG_REFILLS) == 1);
	if (chunks > CPRNG_REFILL_CHUNKS / 2 || has_unpopped(p))
		tag |= TAG_FILLED;
	cprng_expand_key_at(&work.ks, p->engine, p->backend, work.chunk, position);
	for (size_t i = 0; i < chunks; i++) {
		size_t used = 0;

		p->backend->keystream(&work.ks, p->engine->rounds, work.chunk,
				      CPRNG_REFILL_CHUNK / p->engine->block_size, 0);
		if (i == 0) {
			p->placement->put_key(p, generation, work.chunk, tag);
			memcpy(dst, work.chunk + CPRNG_KEY_LINE, len);
			used = CPRNG_KEY_LINE + request;
		}
		p->placement->push(p, generation, work.chunk + used, CPRNG_REFILL_CHUNK - used);
	}
	cprng_wipe_and_clear_registers(&work, sizeof(work));
}

/* Draw a one-time key and expand it to len bytes. */
CPRNG_INLINE void draw_by_one_time_key(struct cprng_process *p, uint64_t generation, uint8_t *dst, size_t len)
{
	struct cprng_position position = { 0, 0 };
	uint8_t last[CPRNG_BLOCK_SIZE_MAX] __attribute__((aligned(64)));

	if (!p->placement->pop(p, last, CPRNG_KEY_SIZE))
		refill(p, generation, last, CPRNG_KEY_SIZE);
	if (len >= POSITION_MIN)
		position = position_for(p, len >= RANDOM_POSITION_MIN);
	expand_all(p, position, last, dst, len);
	cprng_wipe(last, sizeof(last));
	cprng_clear_registers();
}

/*
 * Draws that need more than a pop: len <= CPRNG_SHORT_MAX bytes when the buffer has too few, or len <= ONE_KEY_MAX bytes
 * from a one-time key.
 *
 * Event:    a signal handler forks during the draw, or the process is invalidated.
 * Reason:   both processes would have the bytes or their key, or these would be older than the invalidation.
 * Pairing:  either changes the generation.  The draw compares it after filling dst, and if it has changed fills dst again.  After
 *           GENERATIONS_MAX tries it uses keys of the kernel, and detects only forks.
 */
CPRNG_INLINE void draw_in_one_generation(struct cprng_process *p, bool short_draw, uint8_t *dst, size_t len)
{
	struct cprng_first_draw first;
	uint64_t generation;

#if CPRNG_HAVE_RESTARTABLE_DRAW
	if (p->placement->restartable)
		(void)cprng_inlined_publish(p);
#endif
	first.len = first_len(p, len);
	for (int begun = 0; begun < GENERATIONS_MAX; begun++) {
		if (CPRNG_UNLIKELY(!cprng_vm_clone_check(p)))
			break;
		generation = short_draw ? cprng_generation_after_pop(p, &first) : cprng_generation_or_begin(p, &first);
		if (CPRNG_UNLIKELY(generation == CPRNG_NO_GENERATION))
			break;
		cprng_check_process(p, generation);
		if (CPRNG_UNLIKELY(cprng_buffers_disabled(p)))
			cprng_vfork_enable_buffers(p);
		/* Many processes draw only once, so the first draw does not touch the buffer; the second one sets it up. */
		if (CPRNG_UNLIKELY(first.begun))
			draw_first(p, &first, dst, len);
		else if (short_draw)
			refill(p, generation, dst, len);
		else
			draw_by_one_time_key(p, generation, dst, len);
		if (CPRNG_LIKELY(!cprng_generation_changed(p, generation)))
			return;
	}
	draw_unbuffered(p, dst, len);
}

CPRNG_HOT void cprng_draw_by_refill(struct cprng_process *p, uint8_t *dst, size_t len)
{
	/* A page fault may run a signal handler; touched early, it finds no key in registers or below its frame. */
	cprng_touch_pages(dst, len);
	draw_in_one_generation(p, true, dst, len);
}

CPRNG_NOINLINE CPRNG_NO_CANARY static void draw_long(struct cprng_process *p, uint8_t *dst, size_t len)
{
	if (CPRNG_UNLIKELY(!cprng_has_end(dst, len)))
		cprng_os_die(CPRNG_NO_END, 0);
	for (size_t n; len != 0; dst += n, len -= n) {
		n = len < ONE_KEY_MAX ? len : ONE_KEY_MAX;
		draw_in_one_generation(p, false, dst, n);
	}
}

/* All other draws of cprng_draw_bytes().  Out of line, so that draws of a few bytes need no stack frame. */
CPRNG_NOINLINE CPRNG_HOT static void draw_more(struct cprng_process *p, uint8_t *dst, size_t len)
{
	if (len > CPRNG_SHORT_MAX)
		draw_long(p, dst, len);
	else if (len != 0 && CPRNG_UNLIKELY(!p->placement->pop(p, dst, len)))
		cprng_draw_by_refill(p, dst, len);
}

CPRNG_OPAQUE CPRNG_HOT void cprng_draw_bytes(struct cprng_process *p, uint8_t *dst, size_t len)
{
#if CPRNG_HAVE_RESTARTABLE_DRAW
	/* Directly: a call through the placement takes as long as the copy. */
	if (len - 1 < CPRNG_FEW_MAX && CPRNG_LIKELY(cprng_has_direct_pop(p->placement))) {
		if (CPRNG_UNLIKELY(!cprng_percpu_pop_few(p, dst, len)))
			cprng_draw_by_refill(p, dst, len);
		return;
	}
#endif
	draw_more(p, dst, len);
}
