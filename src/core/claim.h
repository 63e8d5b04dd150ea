/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Exclusive use of an object without waiting: an operation claims it by an atomic exchange, or uses another object.
 *
 * Where a process may fork, the object lies in memory that a fork wipes, and its claim in memory that survives a fork.  When
 * a signal handler forks in the middle of an operation, the operation continues in the child and still writes to the
 * object; so its claim must hold in the child, or a second operation could meet a half-written object.  The claim of an
 * operation that a handler abandons by siglongjmp(3) is never released; other operations then use other objects.
 */
#ifndef CPRNG_CORE_CLAIM_H
#define CPRNG_CORE_CLAIM_H

#include "core/port.h"

struct cprng_claim {
	uint32_t taken; /* the owner's number; 0: free.  32 bits: RISC-V has no exchange of a byte */
};

CPRNG_INLINE bool cprng_claim_replace(struct cprng_claim *claim, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&claim->taken, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* The owner is not 0. */
CPRNG_INLINE bool cprng_claim_try(struct cprng_claim *claim, uint32_t owner)
{
	/* A load first: a failed exchange would take the cache line from the owner. */
	return __atomic_load_n(&claim->taken, __ATOMIC_RELAXED) == 0 && cprng_claim_replace(claim, 0, owner);
}

CPRNG_INLINE void cprng_claim_release(struct cprng_claim *claim)
{
	__atomic_store_n(&claim->taken, 0, __ATOMIC_RELEASE);
}

/* For a function that needs a lock: wait for it if it is held, or return at once with nothing done. */
enum cprng_wait { CPRNG_WAIT, CPRNG_NOWAIT };

#endif
