/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The timing jitter of the CPU as a noise source: the time that accesses to memory take, past the caches where user code
 * can see to that.  What makes it vary is outside of the program: refresh and queues of the memory, the crossings of
 * clock domains, other users of the memory.  Figures: docs/decisions/0008-entropy-sources.md.
 */
#ifndef CPRNG_PROCESS_JITTER_H
#define CPRNG_PROCESS_JITTER_H

#include "core/port.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	/* Sixteen lines or so: few enough that after some samples each access is to one that was sent to memory. */
	CPRNG_JITTER_MEMORY = 1024,
};

/* All zero is a good start.  One caller at a time. */
struct cprng_jitter {
	uint64_t x; /* chooses the accesses; every time measured so far goes into it */
	uint8_t memory[CPRNG_JITTER_MEMORY];
};

/*
 * count raw samples: the low eight bits of the time of a fixed amount of work, not conditioned in any way, for the health
 * tests to see the noise as it is.  A third of a microsecond each.  False when there is no clock.
 */
bool cprng_jitter_collect(struct cprng_jitter *j, uint8_t *samples, size_t count) CPRNG_MUST_CHECK;

#ifdef __cplusplus
}
#endif
#endif
