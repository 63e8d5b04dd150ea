/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Buffers for machines without restartable sequences: a fixed number of slots, over which threads are spread by
 * their numbers.  A thread or signal handler claims a slot by one atomic exchange and never waits for it: it goes
 * on to the next slot, and after some tries to the kernel.
 *
 * Memory grows with CPUs, not threads, and a thread that ends leaves nothing behind.  A claim that is abandoned (longjmp
 * out of a signal handler, or an asynchronous cancellation, in the few nanoseconds of a pop) loses one slot; its users take the
 * next.
 */
#include "cpu/registers.h"
#include "engine/engine.h"
#include "process/check.h"
#include "process/placement.h"
#include "process/placement/memory_lock.h"

/*
 * A second try makes collisions rare.  The other tries are for lost slots: a try costs a few nanoseconds, and the kernel's
 * bytes cost hundreds of nanoseconds for each draw.
 */
#define TRIES 8

static uint32_t index_of_thread(struct cprng_process *p)
{
	/* The constant is 2^64 / golden ratio (Knuth, volume 3, 6.4). */
	uint64_t hash = (uint64_t)cprng_os_this_thread() * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)((hash >> 32) * p->buffer_count >> 32);
}

CPRNG_COLD static void erase_slot(struct cprng_buffer *b, uint64_t generation)
{
	/* Threads without the claim look at these. */
	__atomic_store_n(&b->left, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&b->key_tag, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&b->made_in, generation, __ATOMIC_RELAXED);
	cprng_wipe(b->key, sizeof(b->key));
	cprng_wipe(b->out, sizeof(b->out));
}

/* Claim a slot, whose contents all belong to *generation; returns NULL when none is free. */
static struct cprng_buffer *claim(struct cprng_process *p, uint64_t *generation)
{
	uint32_t index = index_of_thread(p);

	*generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_ACQUIRE);
	if (!cprng_is_generation(*generation))
		return NULL;
	for (int i = 0; i < TRIES; i++) {
		struct cprng_buffer *b = &p->buffers[index];

		if (cprng_claim_try(&p->slot_claim[index].claim, cprng_claim_owner())) {
			/* Erase what an invalidation could not reach, because the slot was claimed then. */
			if (CPRNG_UNLIKELY(b->made_in != *generation))
				erase_slot(b, *generation);
			cprng_check_buffer(b);
			return b;
		}
		if (++index == p->buffer_count)
			index = 0;
	}
	return NULL;
}

/*
 * Release a slot; returns true if the generation is still the same.
 *
 * Event:    the generation changes between claim() and slots_release(): by an invalidation, or because a signal handler forked and
 *           this is the child, whose slot was wiped.
 * Reason:   what the caller has read may be zeros, and what it has written is in the parent's slot as well.
 * Pairing:  the claim survives a fork, so no other operation has used the slot; it is erased before the claim is given up.
 */
static bool slots_release(struct cprng_process *p, struct cprng_buffer *b, uint64_t generation)
{
	bool same = !cprng_generation_changed(p, generation);

	if (CPRNG_UNLIKELY(!same))
		erase_slot(b, 0);
	CPRNG_CHECK_THAT(p->slot_claim[b - p->buffers].claim.taken == cprng_claim_owner(),
			 "an operation releases its own claim");
	cprng_check_buffer(b);
	cprng_claim_release(&p->slot_claim[b - p->buffers].claim);
	return same;
}

static CPRNG_NO_CANARY bool slots_pop(struct cprng_process *p, uint8_t *dst, size_t len)
{
	uint64_t generation;
	struct cprng_buffer *b = claim(p, &generation);
	bool done;

	if (b == NULL)
		return false;
	done = cprng_buffer_pop(b, dst, len);
	if (len < CPRNG_BUFFER_FEW)
		cprng_clear_general_registers();
	else
		cprng_clear_registers();
	return slots_release(p, b, generation) && done;
}

static CPRNG_NO_CANARY uint64_t slots_take_key(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE])
{
	uint64_t generation, tag;
	struct cprng_buffer *b = claim(p, &generation);

	if (b == NULL)
		return 0;
	tag = cprng_buffer_take_key(b, key);
	return slots_release(p, b, generation) ? tag : 0;
}

static CPRNG_NO_CANARY void slots_put_key(struct cprng_process *p, uint64_t generation,
					  const uint8_t key[CPRNG_KEY_SIZE], uint64_t tag)
{
	uint64_t now;
	struct cprng_buffer *b = claim(p, &now);

	if (b == NULL)
		return;
	if (now == generation) {
		cprng_use_buffer(p, (uint32_t)(b - p->buffers));
		cprng_buffer_put_key(b, key, tag);
	}
	(void)slots_release(p, b, now);
}

static CPRNG_NO_CANARY void slots_push(struct cprng_process *p, uint64_t generation, const uint8_t *src, size_t len)
{
	uint64_t now;
	struct cprng_buffer *b = claim(p, &now);

	if (b == NULL)
		return;
	if (now == generation) {
		cprng_use_buffer(p, (uint32_t)(b - p->buffers));
		cprng_buffer_push(b, src, len);
	}
	(void)slots_release(p, b, now);
}

static void slots_erase(struct cprng_process *p)
{
	for (uint32_t i = 0; i < p->buffer_count; i++) {
		struct cprng_buffer *b = &p->buffers[i];

		if (__atomic_load_n(&b->made_in, __ATOMIC_RELAXED) == 0 ||
		    !cprng_claim_try(&p->slot_claim[i].claim, cprng_claim_owner()))
			continue;
		erase_slot(b, 0);
		cprng_claim_release(&p->slot_claim[i].claim);
	}
}

const struct cprng_placement cprng_placement_slots = {
	.name = "slots",
	.pop = slots_pop,
	.take_key = slots_take_key,
	.put_key = slots_put_key,
	.push = slots_push,
	.erase = slots_erase,
	.index = index_of_thread,
};
