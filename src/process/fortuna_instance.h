/* SPDX-License-Identifier: BSD-2-Clause */
/* A Fortuna that a program has made (cprng_fortuna_new): its memory, its locks, and what a fork does to them. */
#ifndef CPRNG_PROCESS_FORTUNA_INSTANCE_H
#define CPRNG_PROCESS_FORTUNA_INSTANCE_H

#include <cprng/fortuna.h>

#include "fortuna/fortuna.h"
#include "process/lock.h"

/* In pages that are wiped in a forked child.  The locks are taken with signals blocked. */
struct cprng_fortuna_secret {
	struct cprng_lock starting; /* the library's own lock, also where hooks bring the others */
	uint32_t started;
	struct cprng_lock lock[CPRNG_LOCKS];
	struct cprng_fortuna_state state;
};

/* In a page before them, which a fork keeps. */
struct cprng_fortuna {
	struct cprng_fortuna_core core;
	struct cprng_fortuna_port port; /* the library's, or the hooks of the owner */
	struct cprng_fortuna_secret *secret;
	uint64_t looks; /* at the clock, where there is none */
	struct cprng_claim cell_claim[CPRNG_HARVEST_CELLS];
	size_t page;
	size_t mapped;
};

/*
 * Map and set up an object, unseeded; engine and backend go together, the numbers are in their ranges.  Returns 0,
 * CPRNG_ERR_MEMORY or CPRNG_ERR_UNSUPPORTED.
 */
int cprng_fortuna_instance_map(struct cprng_fortuna **object, const struct cprng_fortuna_core *options,
			       const struct cprng_fortuna_hooks *hooks) CPRNG_MUST_CHECK;

/* Erase and unmap. */
void cprng_fortuna_instance_unmap(struct cprng_fortuna *object);

/* The core of the object, made usable again if there was a fork. */
const struct cprng_fortuna_core *cprng_fortuna_instance_core(struct cprng_fortuna *object);

#endif
