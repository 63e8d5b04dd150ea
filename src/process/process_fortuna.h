/* SPDX-License-Identifier: BSD-2-Clause */
/* The process's Fortuna: cprng_strong(), and the periodic reseed of the fast generator. */
#ifndef CPRNG_PROCESS_PROCESS_FORTUNA_H
#define CPRNG_PROCESS_PROCESS_FORTUNA_H

#include "process/sources.h"

CPRNG_BEGIN_DECLARATIONS

struct cprng_process_fortuna {
	/* The generation of the process (state.h) when the key was mixed with the kernel's bytes last; 0: never. */
	cprng_atomic64 seeded_in;
	cprng_atomic64 polled; /* nanoseconds, as of cprng_clock_or_count() */
	cprng_atomic64 looks;  /* readings without a clock */
	size_t application_events;
	struct cprng_lock poll_lock;         /* of sources; taken before the others */
	struct cprng_lock lock[CPRNG_LOCKS]; /* of state */
	struct cprng_sources sources;
	struct cprng_fortuna_state state;
};

/* Part of the set-up of the process: memory is wiped in a child, and zero. */
void cprng_strong_set_up(struct cprng_process *p, struct cprng_process_fortuna *memory);

/* Fill buf, or abort: never unseeded, never from before a fork or an invalidation. */
void cprng_strong_read(struct cprng_process *p, uint8_t *buf, size_t len);

/*
 * Read 32 bytes for the key of a buffer, without waiting.  Returns false, with nothing written, while another thread holds
 * a lock, or when the program has never used Fortuna.
 */
bool cprng_strong_try_key(struct cprng_process *p, uint8_t key[32]) CPRNG_MUST_CHECK;

/* Return whether the program has used Fortuna; until then the fast generator does not read from it. */
CPRNG_INLINE bool cprng_strong_is_used(const struct cprng_process *p)
{
	return cprng_has_buffers(p) && __atomic_load_n(&p->strong_used, __ATOMIC_RELAXED) != 0;
}

/* Mix len bytes into the key at once. */
void cprng_strong_seed(struct cprng_process *p, const void *buf, size_t len);

/* Leave an event of the application in the queue: CPRNG_FORTUNA_OK or CPRNG_FORTUNA_FULL. */
int cprng_strong_add(struct cprng_process *p, const struct cprng_event *event);

/* Let readers generate under the lock from now on, or outside it (the default). */
void cprng_strong_set_locked(struct cprng_process *p, bool on);

/* Fill what cprng_get_strong_info() reports, after a read. */
void cprng_strong_describe(struct cprng_process *p, struct cprng_strong_info *info);

CPRNG_END_DECLARATIONS
#endif
