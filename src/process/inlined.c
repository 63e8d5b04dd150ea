/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/inlined.h"

/* Exported, as src/api is (src/sources.cmake). */
struct cprng_draw cprng_draw_1 = { .cpus = CPRNG_CPUS_UNSET };

/*
 * Event:    a thread lowers or raises p->draw.cpus while another one publishes, which repeats it in cprng_draw_1.
 * Reason:   inlined draws would still be served from buffers that are being erased.
 * Pairing:  allow() stores p->draw.cpus, then loads the owner; publish_draw() stores the owner, then loads p->draw.cpus (all
 *           SEQ_CST), so at least one of them sees the other's store.  publish_draw() stores what it loaded only in place of
 *           CPRNG_CPUS_UNSET, so it never replaces what allow() stored.
 */
static bool owned(const struct cprng_process *p)
{
	return __atomic_load_n(&cprng_draw_1.owner, __ATOMIC_SEQ_CST) == p;
}

CPRNG_COLD static bool publish_draw(struct cprng_process *p)
{
	/* An inlined draw would begin a sequence without cprng_os_join_sequences(). */
	if (p->draw.rseq_offset == CPRNG_OS_OWN_AREAS)
		return false;
	/* A load first: the exchange would take the cache line from the threads that draw. */
	const void *owner = __atomic_load_n(&cprng_draw_1.owner, __ATOMIC_SEQ_CST);
	uint32_t unset = CPRNG_CPUS_UNSET;

	if (owner == NULL)
		(void)__atomic_compare_exchange_n(&cprng_draw_1.owner, &owner, p, false, __ATOMIC_SEQ_CST,
						  __ATOMIC_SEQ_CST);
	if (owner != NULL && owner != p)
		return false;
	(void)__atomic_compare_exchange_n(&cprng_draw_1.cpus, &unset, __atomic_load_n(&p->draw.cpus, __ATOMIC_SEQ_CST),
					  false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	__atomic_store_n(&cprng_draw_1.rseq_offset, p->draw.rseq_offset, __ATOMIC_RELAXED);
	/* Last: from here on draws use the others. */
	__atomic_store_n(&cprng_draw_1.buffers, p->draw.buffers, __ATOMIC_RELEASE);
	return true;
}

bool cprng_inlined_publish(struct cprng_process *p)
{
	return CPRNG_LIKELY(cprng_inlined_is_published(p)) || publish_draw(p);
}

static void repeat(const struct cprng_process *p, uint32_t cpus)
{
	if (owned(p))
		__atomic_store_n(&cprng_draw_1.cpus, cpus, __ATOMIC_SEQ_CST);
}

/*
 * Event:    another thread forks in the middle.
 * Reason:   in the child, draws that are inlined and draws that are not would be allowed different buffers, permanently.
 * Pairing:  p->draw.cpus is lowered first and raised last, and a child in which either is not what the parent left between
 *           two operations calls this again (is_whole() and repair() in generation.c).
 */
uint32_t cprng_inlined_allow(struct cprng_process *p, uint32_t cpus)
{
	uint32_t before = owned(p) ? __atomic_load_n(&cprng_draw_1.cpus, __ATOMIC_SEQ_CST) : 0;

	/* No draw is inlined yet. */
	if (before == CPRNG_CPUS_UNSET)
		before = 0;
	if (cpus != 0)
		repeat(p, cpus);
	before |= __atomic_exchange_n(&p->draw.cpus, cpus, __ATOMIC_SEQ_CST);
	/* A thread may have published meanwhile. */
	repeat(p, cpus);
	return before;
}
