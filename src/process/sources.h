/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entropy sources of a process, polled by reads of its Fortuna: each gives some events, each is watched by the
 * health tests (SP 800-90B, 4.4), and one that fails is retired.
 *
 *   kernel         getrandom by system call, a round of 32 bytes for every pool at each poll; credited in full
 *   cpu-seed       RDSEED, RNDRRS: mixed, and credited with no entropy, since a CPU cannot be inspected
 *   cpu-random     RDRAND, RNDR: the same
 *   jitter         the time that the CPU takes for memory accesses; an eighth of a bit for each sample of 8 bits
 *   vm-generation  the number that a hypervisor changes when it clones the machine (/dev/vmclock0); no entropy
 *
 * The application's own events go through the harvest queue and are not polled.
 */
#ifndef CPRNG_PROCESS_SOURCES_H
#define CPRNG_PROCESS_SOURCES_H

#include "fortuna/fortuna.h"
#include "fortuna/health.h"
#include "process/jitter.h"
#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

enum cprng_source {
	CPRNG_SOURCE_KERNEL,
	CPRNG_SOURCE_CPU_SEED,
	CPRNG_SOURCE_CPU_RANDOM,
	CPRNG_SOURCE_JITTER,
	CPRNG_SOURCE_VM_GENERATION,
	CPRNG_SOURCES_OWN,
	/* Application source n is number CPRNG_SOURCE_APPLICATION + n of the accumulator. */
	CPRNG_SOURCE_APPLICATION = CPRNG_SOURCES - CPRNG_APPLICATION_SOURCES,
};

/* The most events of a poll: one of the kernel for each pool, and those of the other sources. */
#define CPRNG_POLL_EVENTS (CPRNG_POOLS + 8)

/* In a wiped page: all zero is a process that has not polled yet.  One caller at a time. */
struct cprng_sources {
	struct cprng_source_status {
		struct cprng_health health; /* limits NULL: not started yet */
		uint64_t events;
		uint32_t absent;  /* not on this machine */
		uint32_t retired; /* failed the health tests, or stopped answering */
		uint32_t silent;  /* polls in a row without an answer */
	} source[CPRNG_SOURCES_OWN];
	uint64_t vm_generation; /* last seen */
	struct cprng_jitter jitter;
	uint8_t kernel[CPRNG_POOLS * CPRNG_EVENT_MAX]; /* of the poll, in one call */
	struct cprng_event event[CPRNG_POLL_EVENTS];   /* of the poll */
};

/*
 * Ask every source once.  Fills s->event and returns how many; the caller adds them to the pools and wipes them.  A
 * source that fails during the poll has no event in it.  Makes no system call but getrandom and clock_gettime (where
 * neither the CPU nor the vDSO has a counter).  Takes tens of microseconds.
 */
size_t cprng_sources_poll(struct cprng_process *p, struct cprng_sources *s);

/*
 * "kernel" and so on; and "absent", "starting", "healthy" or "retired".  The number of the virtual machine is healthy
 * as soon as it was seen: it has no health to be tested.
 */
const char *cprng_source_name(enum cprng_source source);
const char *cprng_source_state(const struct cprng_sources *s, enum cprng_source source);

CPRNG_END_DECLARATIONS
#endif
