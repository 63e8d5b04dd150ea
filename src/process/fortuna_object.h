/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Fortuna that a program has made (cprng_fortuna_new): its memory, its locks, and the effects of a fork and an
 * invalidation on them.
 */
#ifndef CPRNG_PROCESS_FORTUNA_OBJECT_H
#define CPRNG_PROCESS_FORTUNA_OBJECT_H

#include <cprng/fortuna.h>

#include "fortuna/fortuna.h"
#include "process/lock.h"
#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

/* In pages that are wiped in a forked child.  The locks are taken with signals blocked. */
struct cprng_fortuna_secret {
	struct cprng_lock starting; /* the library's own lock, also where hooks bring the others */
	uint32_t started;           /* the number of the start (starts, below); 0: not started in this process */
	struct cprng_lock lock[CPRNG_LOCKS];
	struct cprng_fortuna_state state;
};

/* In a page before them, which survives a fork. */
struct cprng_fortuna {
	struct cprng_fortuna_core core;
	struct cprng_fortuna_port port; /* the library's, or the hooks of the owner */
	struct cprng_fortuna_secret *secret;
	cprng_atomic64 looks; /* readings without a clock */
	uint32_t starts;      /* in this process and its ancestors */
	struct cprng_harvest_claims claims;
	struct cprng_fortuna *next; /* of the process's objects */
	size_t page;
	size_t mapped;
};

/*
 * Map and set up an object, unseeded; engine and backend go together, the numbers are in their ranges.  Returns 0,
 * CPRNG_ERR_MEMORY (also where the process has no memory for buffers) or CPRNG_ERR_UNSUPPORTED.
 */
int cprng_fortuna_object_map(struct cprng_process *p, struct cprng_fortuna **object,
			     const struct cprng_fortuna_core *options,
			     const struct cprng_fortuna_hooks *hooks) CPRNG_MUST_CHECK;

/* Erase and unmap. */
void cprng_fortuna_object_unmap(struct cprng_process *p, struct cprng_fortuna *object);

/* Make all objects unseeded.  The caller holds fork_state->lock. */
void cprng_fortuna_objects_invalidate(const struct cprng_process *p);

/* Have the system wipe the pages of all objects on a fork, as since they were mapped (cprng_generation_restore_wiping). */
void cprng_fortuna_objects_restore_wiping(const struct cprng_process *p);

/* Set up the claims of a queue, all free. */
void cprng_fortuna_claims_set_up(struct cprng_harvest_claims *claims);

/* Return the core of the object, and make it usable again after a fork. */
const struct cprng_fortuna_core *cprng_fortuna_object_core(struct cprng_fortuna *object);

/*
 * A number of the object that a fork and an invalidation change; in a child it differs from the parent's, also after the child
 * has used the object.  Not the generation of the process: an object that is seeded by its owner needs none of the kernel's
 * bytes, with which a generation begins.
 */
CPRNG_INLINE uint64_t cprng_fortuna_object_moment(const struct cprng_fortuna *object)
{
	const struct cprng_fortuna_secret *const s = object->secret;

	return (uint64_t)__atomic_load_n(&s->started, __ATOMIC_RELAXED) << 32 |
	       __atomic_load_n(&s->state.harvest.epoch, __ATOMIC_RELAXED);
}

/*
 * Without a clock, 64 readings count as one reseed interval.  A read of Fortuna makes one to three readings.  So sources are
 * still polled and pools drained, but seldom enough that a pool gathers events of sources other than the kernel.
 */
#define CPRNG_LOOKS_PER_INTERVAL 64

/* Return nanoseconds since any start; *looks counts the readings without a clock. */
CPRNG_INLINE uint64_t cprng_clock_or_count(cprng_atomic64 *looks)
{
	const uint64_t now = cprng_os_nanoseconds();

	if (CPRNG_LIKELY(now != 0))
		return now;
	return __atomic_fetch_add(looks, 1, __ATOMIC_RELAXED) * (CPRNG_RESEED_INTERVAL_NS / CPRNG_LOOKS_PER_INTERVAL);
}

CPRNG_END_DECLARATIONS

#endif
