/* SPDX-License-Identifier: BSD-2-Clause */
/* Generations: how a process detects a fork, and invalidates its buffers. */
#ifndef CPRNG_PROCESS_GENERATION_H
#define CPRNG_PROCESS_GENERATION_H

#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * Return the generation, which begins with this call if the process has none.  CPRNG_NO_GENERATION: the caller buffers
 * nothing, and detects a fork by other means.  Never waits.
 */
uint64_t cprng_generation(struct cprng_process *p);

/*
 * The first draw of a generation: one system call fills the generation's number and the draw's bytes.  The life of the object, on
 * the caller's stack:
 *
 *   1. the caller sets len, the number of bytes for its draw: 0 to sizeof(bytes);
 *   2. a function below sets begun to false, and returns the generation if there is one;
 *   3. otherwise it begins one: it fills number and bytes, and publishes the number.  On success it sets begun; on failure (a fork
 *      or an invalidation in between, or another thread was first) it wipes the bytes;
 *   4. if begun, the caller has drawn nothing in this generation, and only it has the bytes: it makes one draw of them, and
 *      wipes them.  If the generation has changed by then, it begins again at 1.
 */
struct cprng_first_draw {
	uint64_t number;
	uint8_t bytes[CPRNG_KEY_SIZE];
	size_t len;
	bool begun;
};

/* Step 3 of the functions below, for a process with buffers. */
uint64_t cprng_generation_begin(struct cprng_process *p, struct cprng_first_draw *first);

/* As cprng_generation(). */
CPRNG_INLINE uint64_t cprng_generation_or_begin(struct cprng_process *p, struct cprng_first_draw *first)
{
	uint64_t generation;

	first->begun = false;
	if (CPRNG_UNLIKELY(!cprng_has_buffers(p)))
		return CPRNG_NO_GENERATION;
	generation = __atomic_load_n(&p->fork_state->generation, __ATOMIC_ACQUIRE);
	return CPRNG_LIKELY(cprng_is_generation(generation)) ? generation : cprng_generation_begin(p, first);
}

/* The same for a draw that found its buffer too short.  In a new child the buffer has no key, which saves one page fault. */
uint64_t cprng_generation_after_pop(struct cprng_process *p, struct cprng_first_draw *first);

/* Return the generation, waiting for a thread that begins it.  The process has buffers; not CPRNG_NO_GENERATION. */
uint64_t cprng_generation_wait(struct cprng_process *p);

/*
 * A value that an operation compares at its end, after the last point at which a handler could have forked: the generation, which
 * also shows an invalidation; without one, the process number.  (A child that is process 1 of its own PID namespace may have its
 * parent's number.)
 */
struct cprng_moment {
	uint64_t generation;
	long pid; /* if that is CPRNG_NO_GENERATION */
};

CPRNG_INLINE struct cprng_moment cprng_moment_now(struct cprng_process *p)
{
	const uint64_t generation = cprng_generation(p);

	return (struct cprng_moment){ generation, generation == CPRNG_NO_GENERATION ? cprng_os_process_id() : 0 };
}

/* Return true if this is a child forked since, or the process was invalidated: the operation must then fill its memory again. */
CPRNG_INLINE bool cprng_moment_passed(const struct cprng_process *p, const struct cprng_moment *moment)
{
	return CPRNG_LIKELY(moment->generation != CPRNG_NO_GENERATION) ?
		       cprng_generation_changed(p, moment->generation) :
		       cprng_os_process_id() != moment->pid;
}

/* Begin a new generation, erase all buffers, and make the program's Fortuna objects unseeded (cprng_invalidate). */
void cprng_generation_invalidate(struct cprng_process *p);

/* The same, but the objects keep their seeds: the kernel's generator was reseeded, whether or not the machine was cloned. */
void cprng_generation_renew(struct cprng_process *p);

/*
 * Make the system wipe the pages on a fork again, including those of objects and of the vDSO's generator: a process that was
 * restored from a checkpoint may have lost that (CRIU 3.17 restores MADV_DONTDUMP, but not MADV_WIPEONFORK).
 */
void cprng_generation_restore_wiping(const struct cprng_process *p);

CPRNG_END_DECLARATIONS

#endif
