/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/vfork.h"

#include "process/generation.h"
#include "process/inlined.h"

/*
 * Give the calling child an exit word, which the kernel zeroes when the child is gone.  The caller holds the lock.  A word
 * that the task has already stays: it is the C library's (CLONE_CHILD_CLEARTID), in a thread that called this by mistake.
 */
static void register_child(struct cprng_fork_state *w)
{
	uint32_t *word = NULL;

	if (cprng_os_get_exit_word(&word) == 0) {
		if (word >= w->child && word < w->child + CPRNG_ARRAY_SIZE(w->child))
			return; /* called before */
		for (size_t i = 0; word == NULL && i < CPRNG_ARRAY_SIZE(w->child); i++) {
			if (__atomic_load_n(&w->child[i], __ATOMIC_RELAXED) != 0)
				continue;
			/* In this order: a child that is killed in between would otherwise count as alive. */
			if (cprng_os_set_exit_word(&w->child[i]) < 0)
				break;
			__atomic_store_n(&w->child[i], 1, __ATOMIC_RELAXED);
			return;
		}
	}
	w->child_unseen = 1;
}

static bool has_children(const struct cprng_fork_state *w)
{
	uint32_t any = w->child_unseen;

	for (size_t i = 0; i < CPRNG_ARRAY_SIZE(w->child); i++)
		any |= __atomic_load_n(&w->child[i], __ATOMIC_RELAXED);
	return any != 0;
}

/*
 * Event:    the child stores draw.cpus = 0 while threads of the parent are in the middle of sequences.
 * Reason:   a sequence that the kernel does not abort may serve bytes that another one serves, too.
 * Pairing:  the kernel aborts those of the parent's threads, and the child begins none from here on: each sequence loads
 *           draw.cpus before it touches a buffer.  So there is nothing to wait for.
 */
void cprng_vfork_disable_buffers(struct cprng_process *p)
{
	struct cprng_os_signals saved;

	if (!cprng_has_buffers(p))
		return;
	(void)cprng_generation_wait(p);
	/* Slots need no kernel: they are sound in any memory that is shared. */
	if (!p->placement->restartable)
		return;
	cprng_os_block_signals(&saved);
	cprng_lock_take(&p->fork_state->lock);
	register_child(p->fork_state);
	__atomic_store_n(&p->buffers_disabled, 1, __ATOMIC_RELAXED);
	(void)cprng_inlined_allow(p, 0);
	cprng_lock_release(&p->fork_state->lock);
	cprng_os_restore_signals(&saved);
}

CPRNG_COLD void cprng_vfork_enable_buffers(struct cprng_process *p)
{
	struct cprng_os_signals saved;

	if (has_children(p->fork_state))
		return;
	cprng_os_block_signals(&saved);
	if (cprng_lock_try(&p->fork_state->lock)) {
		/* Without a generation there was a fork in between, which wiped the words (leave_cpus() in generation.c). */
		if (cprng_is_generation(p->fork_state->generation) && p->buffers_disabled != 0 &&
		    !has_children(p->fork_state)) {
			__atomic_store_n(&p->buffers_disabled, 0, __ATOMIC_RELAXED);
			(void)cprng_inlined_allow(p, p->buffer_count);
		}
		cprng_lock_release(&p->fork_state->lock);
	}
	cprng_os_restore_signals(&saved);
}
