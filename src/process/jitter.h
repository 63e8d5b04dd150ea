/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing jitter of the CPU as a noise source: the time of accesses to memory, which go past the caches where user code
 * can flush them.  The time varies by causes outside the program: refresh and queues of the memory, crossings of clock
 * domains, other users of the memory.  Figures: docs/decisions/0008-entropy-sources.md.
 */
#ifndef CPRNG_PROCESS_JITTER_H
#define CPRNG_PROCESS_JITTER_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

enum {
	/* Sixteen cache lines: after some samples every line has been flushed, so every access goes to memory. */
	CPRNG_JITTER_MEMORY = 1024,
};

/* Zeroed memory is a valid start.  One caller at a time. */
struct cprng_jitter {
	uint64_t x; /* chooses the accesses; every time measured so far goes into it */
	uint8_t memory[CPRNG_JITTER_MEMORY];
};

/*
 * Collect count raw samples: the low eight bits of the time of a fixed amount of work, unconditioned, so that the health
 * tests see the noise itself.  Each takes a third of a microsecond.  Returns false when there is no clock.
 */
bool cprng_jitter_collect(struct cprng_jitter *j, uint8_t *samples, size_t count) CPRNG_MUST_CHECK;

CPRNG_END_DECLARATIONS
#endif
