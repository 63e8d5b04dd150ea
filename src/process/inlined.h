/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The variable that inlined draws of this copy of the library read: cprng_draw_1 (<cprng/draw.h>), a copy of p->draw.  Only
 * its owner writes to it: a binary may give its variable to another copy of the library (docs/decisions/0014).
 */
#ifndef CPRNG_PROCESS_INLINED_H
#define CPRNG_PROCESS_INLINED_H

#include "process/state.h"
#if CPRNG_HAVE_RESTARTABLE_DRAW
#include "os/own_area.h"
#endif

CPRNG_BEGIN_DECLARATIONS

#if CPRNG_HAVE_RESTARTABLE_DRAW
/* Return the offset of the calling thread's rseq area.  Where threads join by themselves, the thread must have joined. */
CPRNG_INLINE ptrdiff_t cprng_rseq_offset(const struct cprng_draw *d)
{
	const ptrdiff_t offset = __atomic_load_n(&d->rseq_offset, __ATOMIC_RELAXED);

	if (CPRNG_LIKELY(offset != CPRNG_OS_OWN_AREAS))
		return offset;
	return (const char *)cprng_os_own_area() - (const char *)__builtin_thread_pointer();
}
#endif

CPRNG_INLINE bool cprng_inlined_is_published(const struct cprng_process *p)
{
	return __atomic_load_n(&cprng_draw_1.buffers, __ATOMIC_RELAXED) == p->draw.buffers;
}

/*
 * Publish the set-up to inlined draws, if it is not published yet.  Between the publication of the set-up itself and this
 * one a handler may jump away, or another thread fork; so each draw that needs more than the buffer calls this.  p has
 * buffers of CPUs.  Returns false when another copy of the library has the variable, and where threads join by themselves:
 * then no draw is inlined.
 */
bool cprng_inlined_publish(struct cprng_process *p);

/* Return whether draws are allowed from the buffers of all CPUs, inlined or not; they are in between two operations. */
CPRNG_INLINE bool cprng_inlined_is_open(const struct cprng_process *p)
{
	const uint32_t inlined = __atomic_load_n(&cprng_draw_1.cpus, __ATOMIC_RELAXED);

	return __atomic_load_n(&p->draw.cpus, __ATOMIC_RELAXED) == p->buffer_count &&
	       (inlined == p->buffer_count || inlined == CPRNG_CPUS_UNSET ||
		__atomic_load_n(&cprng_draw_1.owner, __ATOMIC_RELAXED) != p);
}

/*
 * Allow draws from the buffers of so many CPUs, inlined or not: all of them, or 0.  Returns the number that was allowed
 * before, for either kind.
 * The caller holds the lock of the fork state, or is the only thread.
 */
uint32_t cprng_inlined_allow(struct cprng_process *p, uint32_t cpus);

CPRNG_END_DECLARATIONS

#endif
