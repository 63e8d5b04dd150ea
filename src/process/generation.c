/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/generation.h"

#include "process/entropy.h"

/*
 * Go over to slots, which need no help of the kernel.  The caller is a child that was forked while buffers were disabled:
 * by another thread, or by the very child that shared the memory, whose restartable sequences the kernel never watches.
 * Nothing shows which of the two it was.  The fork may have come before draw.cpus was 0 (cprng_vfork_disable_buffers).
 */
static void leave_cpus(struct cprng_process *p)
{
	__atomic_store_n(&p->draw.cpus, 0, __ATOMIC_SEQ_CST);
	p->buffer_count = p->buffer_count > CPRNG_SLOTS_MAX ? CPRNG_SLOTS_MAX : p->buffer_count;
	p->placement = p->placement_of_claims;
	p->buffers_disabled = 0;
}

/* Free the claim of a thread that this process does not have; *alone remembers that it has no thread but the caller. */
static void release_others(struct cprng_claim *claim, uint32_t mine, bool *alone)
{
	const uint32_t owner = __atomic_load_n(&claim->taken, __ATOMIC_RELAXED);

	if (owner == 0 || owner == mine)
		return;
	/* Of the parent's threads, a child has the one that forked, as its first thread. */
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

	for (uint32_t i = 0; i < p->user_entropy.states; i++)
		release_others(&p->entropy_claim[i], mine, &alone);
	for (uint32_t i = 0; !p->placement->restartable && i < p->buffer_count; i++)
		release_others(&p->slot_claim[i].claim, mine, &alone);
}

/*
 * Begin the first generation of this process, after the set-up or in a forked child, where draw.cpus may be 0 still.  The
 * caller holds the lock.  Returns 0 in a child that a handler of a synchronous signal forked in the middle of this.
 */
static uint64_t first_generation(struct cprng_process *p)
{
	uint64_t generation = p->fork_state->generation;

	if (generation != 0)
		return generation;
	cprng_entropy_by_call(&generation, sizeof(generation));
	generation |= (uint64_t)(generation == 0);
	/* A fork wiped the lock, and the parent has this number, too. */
	if (!cprng_lock_is_mine(&p->fork_state->lock))
		return 0;
	/* Disabled under a generation of the parent. */
	if (p->buffers_disabled != 0)
		leave_cpus(p);
	release_lost_claims(p);
	__atomic_store_n(&p->fork_state->generation, generation, __ATOMIC_RELEASE);
	if (p->placement->restartable)
		__atomic_store_n(&p->draw.cpus, p->buffer_count, __ATOMIC_RELEASE);
	return generation;
}

CPRNG_COLD static uint64_t begin_generation(struct cprng_process *p, enum cprng_wait wait)
{
	struct cprng_os_signals saved;
	uint64_t generation = 0;

	cprng_os_block_signals(&saved);
	do {
		if (wait == CPRNG_WAIT)
			cprng_lock_take(&p->fork_state->lock);
		else if (!cprng_lock_try(&p->fork_state->lock))
			break;
		generation = first_generation(p);
		cprng_lock_release(&p->fork_state->lock);
	} while (generation == 0);
	cprng_os_restore_signals(&saved);
	return generation;
}

uint64_t cprng_generation(struct cprng_process *p)
{
	uint64_t generation;

	if (p->fork_state == NULL)
		return 0;
	generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_ACQUIRE);
	return CPRNG_LIKELY(generation != 0) ? generation : begin_generation(p, CPRNG_NOWAIT);
}

uint64_t cprng_generation_wait(struct cprng_process *p)
{
	const uint64_t generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_ACQUIRE);

	return CPRNG_LIKELY(generation != 0) ? generation : begin_generation(p, CPRNG_WAIT);
}

void cprng_generation_restore_wiping(const struct cprng_process *p)
{
	/* A refusal now means a sandbox, which leaves the earlier advice in force. */
	if (p->fork_state != NULL && !cprng_os_wipe_on_fork(p->fork_state, p->mapped - p->kept))
		return;
}

void cprng_generation_invalidate(struct cprng_process *p)
{
	struct cprng_os_signals saved;
	uint64_t generation;

	if (p->fork_state == NULL)
		return;
	cprng_os_block_signals(&saved);
	cprng_lock_take(&p->fork_state->lock);
	/* A step from a random 64-bit number: a related process has the same one with probability 2^-64. */
	generation = p->fork_state->generation + 1;
	if (p->fork_state->generation != 0) {
		__atomic_store_n(&p->fork_state->generation, generation + (generation == 0), __ATOMIC_SEQ_CST);
		p->placement->erase(p);
	}
	cprng_lock_release(&p->fork_state->lock);
	cprng_os_restore_signals(&saved);
}
