/* SPDX-License-Identifier: BSD-2-Clause */
/* Generations: how a process detects a fork, and invalidates what it has buffered. */
#ifndef CPRNG_PROCESS_GENERATION_H
#define CPRNG_PROCESS_GENERATION_H

#include "process/state.h"

/*
 * Return the generation, or 0: nothing may be buffered, and a fork is not detected.  That is so without wiped pages; and
 * while another thread is beginning it.  Never waits.
 */
uint64_t cprng_generation(struct cprng_process *p);

/* What the kernel gives in one call: the number of a generation, and bytes for the draw that begins it. */
struct cprng_generation_start {
	uint64_t number;
	uint8_t bytes[CPRNG_KEY_SIZE]; /* which nothing else has; the caller wipes them */
	size_t len;                    /* of them that the caller wants */
	bool begun;                    /* false: they are not to be used */
};

/*
 * The same; start->begun tells whether this call began it, so that nothing was drawn in it yet by the calling operation.
 * Then start->bytes are of the kernel, asked for in the same call as the generation's number.
 */
uint64_t cprng_generation_or_begin(struct cprng_process *p, struct cprng_generation_start *start);

/* The same, waiting for a thread that is setting it up.  p->fork_state is not NULL; the result is not 0. */
uint64_t cprng_generation_wait(struct cprng_process *p);

/* Start a new generation, erase all buffers, and make the program's Fortuna objects unseeded (cprng_invalidate). */
void cprng_generation_invalidate(struct cprng_process *p);

/*
 * Have the system wipe the pages on a fork, those of objects and of the user entropy too, as since the set-up: a process
 * that was restored from a checkpoint may have lost that (CRIU 3.17 brings back MADV_DONTDUMP, and not MADV_WIPEONFORK).
 */
void cprng_generation_restore_wiping(const struct cprng_process *p);

#endif
