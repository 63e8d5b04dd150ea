/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/generation.h"

#include "process/entropy.h"

/*
 * In a child that was forked while the process was frozen: by another thread, or by the very child that shared the memory,
 * whose sequences the kernel will never watch.  No telling which, so this process has slots, which need no kernel.  The
 * fork may have come before draw.cpus was 0 (cprng_vfork_disable_buffers).
 */
static void leave_cpus(struct cprng_process *p)
{
	__atomic_store_n(&p->draw.cpus, 0, __ATOMIC_SEQ_CST);
	p->buffer_count = p->buffer_count > CPRNG_SLOTS_MAX ? CPRNG_SLOTS_MAX : p->buffer_count;
	p->placement = p->placement_of_claims;
	p->buffers_disabled = 0;
}

static void release_others(struct cprng_claim *claim, uint32_t mine, bool *alone)
{
	const uint32_t owner = __atomic_load_n(&claim->taken, __ATOMIC_RELAXED);

	if (owner == 0 || owner == mine)
		return;
	/* Only the thread that forked goes on in a child, as its first one. */
	if (!*alone && !(*alone = cprng_os_is_first_thread()))
		return;
	(void)cprng_claim_replace(claim, owner, 0);
}

/*
 * With the lock held, before there is a generation, without which nothing is claimed: give back what other threads of the
 * parent had claimed when it forked.  Claims of the calling thread may be of operations that it will return to.
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
 * With the lock held: the first of this process, after the set-up and in a forked child, where draw.cpus may have been left
 * at 0.  0 if a handler of a synchronous signal forked in the middle, and this is the child.
 */
static uint64_t first_generation(struct cprng_process *p)
{
	uint64_t generation = p->fork_state->generation;

	if (generation != 0)
		return generation;
	cprng_entropy_by_call(&generation, sizeof(generation));
	generation |= (uint64_t)(generation == 0);
	/* The parent has that number too. */
	if (!cprng_lock_is_mine(&p->fork_state->lock))
		return 0;
	/* It was frozen under a generation. */
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
	/* A refusal now means a sandbox, in which it still holds. */
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
	/* A step of a random 64-bit number: no other process of the family is likely to have it (2^-64 a pair). */
	generation = p->fork_state->generation + 1;
	if (p->fork_state->generation != 0) {
		__atomic_store_n(&p->fork_state->generation, generation + (generation == 0), __ATOMIC_SEQ_CST);
		p->placement->erase(p);
	}
	cprng_lock_release(&p->fork_state->lock);
	cprng_os_restore_signals(&saved);
}
