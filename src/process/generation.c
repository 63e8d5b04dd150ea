/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/generation.h"

#include "core/wipe.h"
#include "process/fortuna_object.h"
#include "process/inlined.h"
#include "process/kernel_bytes.h"

/* One call fills both. */
_Static_assert(offsetof(struct cprng_first_draw, number) == 0, "first the number");
_Static_assert(offsetof(struct cprng_first_draw, bytes) == sizeof(uint64_t), "then the bytes");

/*
 * Switch to slots, which need no help from the kernel.  The caller is a child that was forked while buffers were disabled:
 * by another thread, or by the child that shared the memory, whose restartable sequences the kernel does not watch.
 * Nothing shows which of the two it was.  draw.cpus may not be 0 yet: cprng_vfork_disable_buffers() sets buffers_disabled first.
 */
static void leave_cpus(struct cprng_process *p)
{
	/* Not 0 yet: another thread may be in a sequence, in a buffer that will be a slot. */
	if (cprng_inlined_allow(p, 0) != 0) {
		const long r = cprng_os_abort_sequences();

		if (r != 0)
			cprng_os_die("buffers cannot be left: membarrier", r);
	}
	p->buffer_count = p->buffer_count > CPRNG_SLOTS_MAX ? CPRNG_SLOTS_MAX : p->buffer_count;
	p->placement = p->placement_of_claims;
	p->buffers_disabled = 0;
}

/* Free the claim of a thread that this process does not have; *alone caches that the caller is its only thread. */
static void release_others(struct cprng_claim *claim, uint32_t mine, bool *alone)
{
	const uint32_t owner = __atomic_load_n(&claim->taken, __ATOMIC_RELAXED);

	if (owner == 0 || owner == mine)
		return;
	/* A child starts with one thread: the one that forked. */
	if (!*alone && !(*alone = cprng_os_is_first_thread()))
		return;
	(void)cprng_claim_replace(claim, owner, 0);
}

/*
 * Release what other threads of the parent had claimed when it forked.  The caller holds the lock, and there is no
 * generation yet, so no thread claims anything.  Claims of the calling thread stay: it may return to their operations.
 */
static void release_lost_claims(struct cprng_process *p)
{
	const uint32_t mine = cprng_claim_owner();
	bool alone = false;

	for (uint32_t i = 0; i < p->vdso.states; i++)
		release_others(&p->entropy_claim[i], mine, &alone);
	for (uint32_t i = 0; !p->placement->restartable && i < p->buffer_count; i++)
		release_others(&p->slot_claim[i].claim, mine, &alone);
}

/* Compute the caller's number last: that calls the C library, whose code costs a new child a page fault. */
CPRNG_INLINE bool is_of_another(const struct cprng_claim *claim)
{
	const uint32_t owner = __atomic_load_n(&claim->taken, __ATOMIC_RELAXED);

	return owner != 0 && owner != cprng_claim_owner();
}

/* Return true if there is a claim whose thread may not exist in this process. */
static bool claims_are_left(const struct cprng_process *p)
{
	for (uint32_t i = 0; i < p->vdso.states; i++)
		if (is_of_another(&p->entropy_claim[i]))
			return true;
	for (uint32_t i = 0; !p->placement->restartable && i < p->buffer_count; i++)
		if (is_of_another(&p->slot_claim[i].claim))
			return true;
	return false;
}

/*
 * Return true if the memory that survives a fork is consistent.  Another thread of the parent may have forked during an
 * invalidation (draw.cpus is 0), during the life of a child that shared the memory, or while threads held claims.
 */
CPRNG_HOT static bool is_whole(const struct cprng_process *p)
{
	return !cprng_buffers_disabled(p) && (!p->placement->restartable || cprng_inlined_is_open(p)) &&
	       !claims_are_left(p);
}

/*
 * Repair that memory.  The caller holds the lock and has blocked signals, and there is no generation.  With CPRNG_WAIT it may
 * be a child that shares the memory (cprng_vfork_child): it seems to be the first thread, but the claims are of other threads.
 */
static void repair(struct cprng_process *p, enum cprng_wait wait)
{
	/* Disabled under a generation of the parent. */
	if (p->buffers_disabled != 0)
		leave_cpus(p);
	if (wait == CPRNG_NOWAIT)
		release_lost_claims(p);
	if (p->placement->restartable)
		(void)cprng_inlined_allow(p, p->buffer_count);
}

/*
 * Publish a generation in place of `token`, which the caller has stored.  Return CPRNG_NO_GENERATION if the word has changed
 * since.
 *
 * Event:    a handler forks or invalidates, or another thread begins a generation, between the store of the token and this.
 * Reason:   parent and child would have one number, and one first->bytes; or the state that was examined under the token has
 *           changed.
 * Pairing:  a fork or an invalidation removes the token, another thread replaces it; in each case the exchange fails.
 */
CPRNG_HOT static uint64_t publish(struct cprng_process *p, uint64_t token, struct cprng_first_draw *first)
{
	uint64_t generation;

	cprng_kernel_bytes_by_call(first, sizeof(first->number) + first->len);
	generation = first->number | CPRNG_IS_GENERATION;
	first->begun = __atomic_compare_exchange_n(&p->fork_state->generation, &token, generation, false,
						   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
	/* In a child of that handler these are bytes that its parent serves. */
	if (!first->begun)
		cprng_wipe(first->bytes, sizeof(first->bytes));
	return first->begun ? generation : CPRNG_NO_GENERATION;
}

/*
 * Repair and publish with the lock: one thread at a time may repair, before any thread uses the repaired state.  Returns
 * CPRNG_NO_GENERATION also where another thread has the lock.
 */
CPRNG_COLD static uint64_t repair_and_publish(struct cprng_process *p, uint64_t token, enum cprng_wait wait,
					      struct cprng_first_draw *first)
{
	struct cprng_os_signals saved;
	uint64_t generation = CPRNG_NO_GENERATION;

	cprng_os_block_signals(&saved);
	if (wait == CPRNG_WAIT) {
		cprng_lock_take(&p->fork_state->lock);
	} else if (!cprng_lock_try(&p->fork_state->lock)) {
		cprng_os_restore_signals(&saved);
		return CPRNG_NO_GENERATION;
	}
	/* Pairs with the fence in publish_under(): a thread that replaces the token after this look sees the lock. */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&p->fork_state->generation, __ATOMIC_RELAXED) == token) {
		repair(p, wait);
		generation = publish(p, token, first);
	}
	cprng_lock_release(&p->fork_state->lock);
	cprng_os_restore_signals(&saved);
	return generation;
}

/* Publish a generation under `token`, which this thread has taken; first repair the memory that a fork has left inconsistent. */
CPRNG_HOT static uint64_t publish_under(struct cprng_process *p, uint64_t token, enum cprng_wait wait,
					struct cprng_first_draw *first)
{
	/* Pairs with the fence in repair_and_publish(). */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&p->fork_state->lock.word, __ATOMIC_ACQUIRE) != 0 || !is_whole(p))
		return repair_and_publish(p, token, wait, first);
	return publish(p, token, first);
}

/*
 * Take the token: store it if there is neither a generation nor a thread that begins one.  Return the word's value afterwards:
 * `token`, or a generation; with CPRNG_NOWAIT also 0, or the token of another thread that is beginning a generation.
 *
 * Event:    a thread finds the token of another.
 * Reason:   a handler may have jumped away from that thread's operation, so its end cannot be waited for; and threads that
 *           replaced each other's tokens at once would never publish a generation.
 * Pairing:  the thread makes a system call, as the other one does, and then replaces the token if it is still there.
 */
CPRNG_HOT static uint64_t take_token(struct cprng_fork_state *w, uint64_t token, enum cprng_wait wait)
{
	uint64_t now = 0, unused;

	/* First, before any load: a new process or child is spared the fault of that load. */
	if (CPRNG_LIKELY(__atomic_compare_exchange_n(&w->generation, &now, token, false, __ATOMIC_ACQ_REL,
						     __ATOMIC_ACQUIRE)))
		return token;
	while (!cprng_is_generation(now)) {
		/* Another thread, or the code that this handler has interrupted, is in a repair or an invalidation. */
		if (wait == CPRNG_NOWAIT && __atomic_load_n(&w->lock.word, __ATOMIC_RELAXED) != 0)
			return __atomic_load_n(&w->generation, __ATOMIC_ACQUIRE);
		cprng_kernel_bytes_by_call(&unused, sizeof(unused));
		if (__atomic_compare_exchange_n(&w->generation, &now, token, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return token;
		if (wait == CPRNG_NOWAIT)
			break;
	}
	return now;
}

/*
 * Begin the first generation of this process, after the set-up or in a forked child.  Sets first->begun if this call began
 * it.  Only with CPRNG_NOWAIT, returns CPRNG_NO_GENERATION while another thread is beginning it.
 */
CPRNG_NOINLINE CPRNG_HOT static uint64_t begin_generation(struct cprng_process *p, enum cprng_wait wait,
							  struct cprng_first_draw *first)
{
	struct cprng_fork_state *const w = p->fork_state;
	uint64_t now, generation;
	/* Even, and of no other call that is under way. */
	const uint64_t token = (uintptr_t)&now & ~(uintptr_t)CPRNG_IS_GENERATION;

	do {
		now = take_token(w, token, wait);
		if (now != token)
			break;
		generation = publish_under(p, token, wait, first);
		if (generation != CPRNG_NO_GENERATION)
			return generation;
		/* 0: this is a child that was forked meanwhile, or an invalidation took the token away. */
		now = __atomic_load_n(&w->generation, __ATOMIC_ACQUIRE);
	} while (!cprng_is_generation(now) && (wait == CPRNG_WAIT || now == 0));
	return cprng_is_generation(now) ? now : CPRNG_NO_GENERATION;
}

uint64_t cprng_generation_begin(struct cprng_process *p, struct cprng_first_draw *first)
{
	return begin_generation(p, CPRNG_NOWAIT, first);
}

/* Return true if the buffer that a draw of this thread would use has no key.  A hint; always true after a fork. */
CPRNG_INLINE bool has_no_key(struct cprng_process *p)
{
	const uint32_t index = p->placement->index(p);

	return index < p->buffer_count && __atomic_load_n(&p->buffers[index].key_tag, __ATOMIC_RELAXED) == 0 &&
	       !cprng_buffers_disabled(p);
}

CPRNG_HOT uint64_t cprng_generation_after_pop(struct cprng_process *p, struct cprng_first_draw *first)
{
	first->begun = false;
	/* Skip the load: begin_generation() writes this page anyway, so a new child takes one fault, not two. */
	if (CPRNG_UNLIKELY(cprng_has_buffers(p) && has_no_key(p)))
		return begin_generation(p, CPRNG_NOWAIT, first);
	return cprng_generation_or_begin(p, first);
}

uint64_t cprng_generation(struct cprng_process *p)
{
	struct cprng_first_draw first = { .len = 0 };

	return cprng_generation_or_begin(p, &first);
}

uint64_t cprng_generation_wait(struct cprng_process *p)
{
	const uint64_t generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_ACQUIRE);
	struct cprng_first_draw first = { .len = 0 };

	return CPRNG_LIKELY(cprng_is_generation(generation)) ? generation : begin_generation(p, CPRNG_WAIT, &first);
}

void cprng_generation_restore_wiping(const struct cprng_process *p)
{
	if (!cprng_has_buffers(p) || cprng_in_foreign_program)
		return;
	/* Only a sandbox refuses now, and then the earlier advice is still in force. */
	(void)!cprng_os_wipe_on_fork(p->fork_state, p->mapped - p->kept);
	/* Without this a child would reseed from copies of its parent's states. */
	if (p->vdso.states != 0)
		(void)!cprng_os_wipe_on_fork(p->vdso.memory, p->vdso.mapped);
	cprng_fortuna_objects_restore_wiping(p);
}

static void invalidate(struct cprng_process *p, bool objects)
{
	struct cprng_os_signals saved;
	uint64_t generation;

	if (!cprng_has_buffers(p))
		return;
	cprng_os_block_signals(&saved);
	cprng_lock_take(&p->fork_state->lock);
	generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_SEQ_CST);
	/*
	 * Event:    an invalidation finds the token of a thread, which may have the kernel's bytes already.
	 * Reason:   those bytes are older than the invalidation: two copies of a checkpoint may both have them.
	 * Pairing:  the token is taken away, so the thread's exchange fails, and it begins again.
	 */
	while (generation != 0 && !cprng_is_generation(generation) &&
	       !__atomic_compare_exchange_n(&p->fork_state->generation, &generation, 0, false, __ATOMIC_SEQ_CST,
					    __ATOMIC_SEQ_CST))
		continue;
	if (objects)
		cprng_fortuna_objects_invalidate(p);
	/* A step from a random number of 63 bits: a related process has the same one with probability 2^-63. */
	if (cprng_is_generation(generation)) {
		__atomic_store_n(&p->fork_state->generation, generation + 2, __ATOMIC_SEQ_CST);
		p->placement->erase(p);
	}
	cprng_lock_release(&p->fork_state->lock);
	cprng_os_restore_signals(&saved);
}

void cprng_generation_invalidate(struct cprng_process *p)
{
	invalidate(p, true);
}

void cprng_generation_renew(struct cprng_process *p)
{
	invalidate(p, false);
}
