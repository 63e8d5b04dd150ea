/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/inlined.h"
#include "process/percpu_few.h"
#include "process/placement/memory_lock.h"
#include "process/placement.h"

#if CPRNG_HAVE_RESTARTABLE_DRAW

#if defined(__x86_64__)
#include "process/placement/percpu_x86_64.h"
#else
#include "process/placement/percpu_aarch64.h"
#endif

CPRNG_HOT static uint32_t index_of_cpu(struct cprng_process *p)
{
	return cprng_os_sequence_cpu(p->draw.rseq_offset);
}

CPRNG_OPAQUE CPRNG_HOT static bool percpu_pop(struct cprng_process *p, uint8_t *dst, size_t len)
{
	if (len <= CPRNG_FEW_MAX)
		return cprng_percpu_pop_few(p, dst, len);
	if (!cprng_may_begin_sequence(p))
		return false;
#if defined(__x86_64__)
	if (p->copies == CPRNG_COPIES_AVX512)
		return cprng_percpu_pop_avx512(&p->draw, dst, len);
	if (p->copies == CPRNG_COPIES_AVX2)
		return cprng_percpu_pop_avx2(&p->draw, dst, len);
	return cprng_percpu_pop_sse2(&p->draw, dst, len);
#else
	return cprng_percpu_pop(&p->draw, dst, len);
#endif
}

CPRNG_HOT static uint64_t percpu_take_key(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE])
{
	if (!cprng_may_begin_sequence(p))
		return 0;
	/* Each refill begins here. */
	cprng_use_buffer(p, index_of_cpu(p));
	return cprng_percpu_take_key(&p->draw, key);
}

CPRNG_HOT static void percpu_put_key(struct cprng_process *p, uint64_t generation, const uint8_t key[CPRNG_KEY_SIZE],
				     uint64_t tag)
{
	if (!cprng_may_begin_sequence(p))
		return;
	/* The thread may have changed its CPU since it took a key. */
	cprng_use_buffer(p, index_of_cpu(p));
	cprng_percpu_put_key(&p->draw, &p->fork_state->generation, generation, key, tag);
}

CPRNG_OPAQUE CPRNG_HOT static void percpu_push(struct cprng_process *p, uint64_t generation, const uint8_t *src,
					       size_t len)
{
	if (!cprng_may_begin_sequence(p))
		return;
#if defined(__x86_64__)
	if (p->copies == CPRNG_COPIES_AVX512)
		cprng_percpu_push_avx512(&p->draw, &p->fork_state->generation, generation, src, len);
	else if (p->copies == CPRNG_COPIES_AVX2)
		cprng_percpu_push_avx2(&p->draw, &p->fork_state->generation, generation, src, len);
	else
		cprng_percpu_push_sse2(&p->draw, &p->fork_state->generation, generation, src, len);
#else
	cprng_percpu_push(&p->draw, &p->fork_state->generation, generation, src, len);
#endif
}

/*
 * Check the whole page: an aborted sequence leaves bytes behind that neither `left` nor key_tag covers.  By atomic loads, because
 * the period (draw.c) is written outside of sequences.
 */
static bool holds_anything(const struct cprng_buffer *b)
{
	const uint64_t *word = (const uint64_t *)(const void *)b;
	uint64_t any = 0;

	for (size_t i = 0; i < sizeof(*b) / sizeof(*word); i++)
		any |= __atomic_load_n(&word[i], __ATOMIC_RELAXED);
	return any != 0;
}

/*
 * Event:    a thread on another CPU is in the middle of a sequence while this one erases the buffers.
 * Reason:   it would serve bytes that are erased already, or push bytes behind the erasure.
 * Pairing:  draw.cpus and membarrier(2), as follows.
 *
 *   this thread                                  a thread in a sequence on another CPU
 *   cpus = 0                                     (has read cpus before)
 *   membarrier: every running thread of the      aborted, and takes the slow path, which reads cpus == 0;
 *     process is interrupted                       or has committed before
 *   (no sequence is under way, none can pass the check of cpus)
 *   erase; cpus = all, or still 0 while buffers are disabled
 *
 * A thread that is not running now was interrupted already: its sequence is aborted when it runs again.
 */
static void percpu_erase(struct cprng_process *p)
{
	long r;

	(void)cprng_inlined_allow(p, 0);
	r = cprng_os_abort_sequences();
	if (r != 0)
		cprng_os_die("buffers cannot be invalidated: membarrier", r);
	for (uint32_t i = 0; i < p->buffer_count; i++) {
		/* Reading a page that was never used does not allocate it. */
		if (holds_anything(&p->buffers[i]))
			cprng_wipe(&p->buffers[i], sizeof(p->buffers[i]));
	}
	/* Except in a child that has gone over to slots: a handler that emulates membarrier(2) forked it meanwhile. */
	if (p->placement->restartable && p->buffers_disabled == 0)
		(void)cprng_inlined_allow(p, p->buffer_count);
}

const struct cprng_placement cprng_placement_percpu = {
	.name = "per-cpu",
	.pop = percpu_pop,
	.take_key = percpu_take_key,
	.put_key = percpu_put_key,
	.push = percpu_push,
	.erase = percpu_erase,
	.index = index_of_cpu,
	.restartable = true,
};

#else

/* Never chosen: there is no pop. */
const struct cprng_placement cprng_placement_percpu = { .name = "per-cpu" };

#endif
