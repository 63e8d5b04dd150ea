/* SPDX-License-Identifier: BSD-2-Clause */
/* Keep buffers out of swap from their first use on. */
#ifndef CPRNG_PROCESS_PLACEMENT_MEMORY_LOCK_H
#define CPRNG_PROCESS_PLACEMENT_MEMORY_LOCK_H

#include "process/state.h"

/* Locks do not survive a fork, so each process requests them, for the buffers that it uses. */
CPRNG_COLD static void cprng_lock_buffer(struct cprng_process *p, uint32_t index)
{
	struct cprng_fork_state *const w = p->fork_state;

	__atomic_fetch_or(&w->buffer_locked[index / 32], UINT32_C(1) << index % 32, __ATOMIC_RELAXED);
	if (!cprng_lock_memory(&p->buffers[index], sizeof(p->buffers[index])))
		__atomic_store_n(&w->memory_lock_failed, 1, __ATOMIC_RELAXED);
}

/* Called before bytes or a key are put into buffer number `index`. */
CPRNG_INLINE void cprng_use_buffer(struct cprng_process *p, uint32_t index)
{
	if (CPRNG_UNLIKELY(index < p->buffer_count &&
			   (__atomic_load_n(&p->fork_state->buffer_locked[index / 32], __ATOMIC_RELAXED) >> index % 32 &
			    1) == 0))
		cprng_lock_buffer(p, index);
}

#endif
