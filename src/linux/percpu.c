/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/placement.h"
#include "linux/sys.h"

#include <stddef.h>

/* Other C libraries do not register restartable sequences, and have no __GLIBC_PREREQ to ask. */
#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

#if CPRNG_HAVE_RESTARTABLE_DRAW && __GLIBC_PREREQ(2, 35)

#include <sys/rseq.h>

/* include/uapi/linux/membarrier.h; older headers lack the last two. */
enum {
	MEMBARRIER_QUERY = 0,
	MEMBARRIER_RSEQ = 1 << 7,
	MEMBARRIER_REGISTER_RSEQ = 1 << 8,
};

#if defined(__x86_64__)
#include "linux/percpu_x86_64.h"
#else
#include "linux/percpu_aarch64.h"
#endif

bool cprng_percpu_available(ptrdiff_t *offset)
{
	const struct rseq *area = (const void *)((const char *)__builtin_thread_pointer() + __rseq_offset);
	long commands;

	/*
	 * The size first: it is 0 when the C library did not register (tunable, valgrind, old kernel), and then the
	 * area may hold anything.
	 */
	if (__rseq_size == 0 || (int32_t)__atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED) < 0)
		return false;
	/* Without this command (Linux 5.10) the buffers of other CPUs could never be erased. */
	commands = cprng_sys_membarrier(MEMBARRIER_QUERY);
	if (commands < 0 || !(commands & MEMBARRIER_RSEQ))
		return false;
	*offset = __rseq_offset;
	return true;
}

static uint32_t index_of_cpu(struct cprng_process *p)
{
	const struct rseq *area = (const void *)((const char *)__builtin_thread_pointer() + p->draw.rseq_offset);

	return __atomic_load_n(&area->cpu_id_start, __ATOMIC_RELAXED);
}

static bool pop(struct cprng_process *p, uint8_t *dst, size_t len)
{
#if defined(__x86_64__)
	if (p->wide_copies)
		return cprng_percpu_pop_avx2(&p->draw, dst, len);
	return cprng_percpu_pop_sse2(&p->draw, dst, len);
#else
	return cprng_percpu_pop(&p->draw, dst, len);
#endif
}

static uint64_t take_key(struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE])
{
	/* Each refill begins here. */
	cprng_process_use_buffer(p, index_of_cpu(p));
	return cprng_percpu_take_key(&p->draw, key);
}

static void put_key(struct cprng_process *p, uint64_t generation, const uint8_t key[CPRNG_KEY_SIZE], uint64_t tag)
{
	/* The thread may have changed its CPU since it took a key. */
	cprng_process_use_buffer(p, index_of_cpu(p));
	cprng_percpu_put_key(&p->draw, &p->wiped->generation, generation, key, tag);
}

static void push(struct cprng_process *p, uint64_t generation, const uint8_t *src, size_t len)
{
#if defined(__x86_64__)
	if (p->wide_copies)
		cprng_percpu_push_avx2(&p->draw, &p->wiped->generation, generation, src, len);
	else
		cprng_percpu_push_sse2(&p->draw, &p->wiped->generation, generation, src, len);
#else
	cprng_percpu_push(&p->draw, &p->wiped->generation, generation, src, len);
#endif
}

/* Also what a sequence that was cut off has left behind, outside of what `left` and key_tag tell. */
static bool holds_anything(const struct cprng_buffer *b)
{
	const uint64_t *word = (const uint64_t *)(const void *)b;
	uint64_t any = 0;

	for (size_t i = 0; i < sizeof(*b) / sizeof(*word); i++)
		any |= word[i];
	return any != 0;
}

/*
 * Other CPUs' buffers cannot be touched while a sequence may be in the middle of one.  So:
 *
 *   this thread                                  a thread in a sequence on another CPU
 *   cpus = 0                                     (read cpus before that)
 *   membarrier: every running thread of the      aborted, begins again, reads cpus == 0 and takes the slow path;
 *     process is interrupted                       or has committed before
 *   (no sequence is under way, none can pass the check of cpus)
 *   erase; cpus = all, or 0 still if the process is frozen
 *
 * A thread that is not running now was interrupted already: its sequence is aborted when it runs again.
 */
static void erase(struct cprng_process *p)
{
	long r;

	__atomic_store_n(&p->draw.cpus, 0, __ATOMIC_SEQ_CST);
	r = cprng_sys_membarrier(MEMBARRIER_RSEQ);
	if (r != 0) {
		/* Not registered in this process image yet: registering costs milliseconds, so it waits until here. */
		r = cprng_sys_membarrier(MEMBARRIER_REGISTER_RSEQ);
		if (r == 0)
			r = cprng_sys_membarrier(MEMBARRIER_RSEQ);
	}
	if (r != 0)
		cprng_die("buffers cannot be invalidated: membarrier", r);
	for (uint32_t i = 0; i < p->states; i++) {
		/* Reading a page that was never used does not allocate it. */
		if (holds_anything(&p->buffers[i]))
			cprng_wipe(&p->buffers[i], sizeof(p->buffers[i]));
	}
	/* Not in a child that has gone over to slots meanwhile: it was forked by a handler that emulates membarrier. */
	if (p->placement == &cprng_placement_percpu)
		__atomic_store_n(&p->draw.cpus, cprng_process_open_cpus(p), __ATOMIC_SEQ_CST);
}

const struct cprng_placement cprng_placement_percpu = {
	.name = "per-cpu",
	.pop_min = CPRNG_POP_MIN,
	.pop = pop,
	.take_key = take_key,
	.put_key = put_key,
	.push = push,
	.erase = erase,
	.index = index_of_cpu,
};

#else

bool cprng_percpu_available(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

/* Never chosen. */
const struct cprng_placement cprng_placement_percpu = { .name = "per-cpu" };

#endif
