/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What belongs to one user at a time is claimed by an atomic operation, and never waited for.
 *
 * Where a process may fork, claims lie in memory that a fork keeps, unlike what is claimed, which it wipes.  An operation that a
 * signal handler interrupted to fork goes on in the child, believes that it has what it claimed, and writes there; so it must
 * have it, or another handler would find what it left half done.  A claim of
 * an operation that a handler left by siglongjmp(3) is never given back; users of what it was for go on to something else.
 */
#ifndef CPRNG_CORE_CLAIM_H
#define CPRNG_CORE_CLAIM_H

#include "core/port.h"

struct cprng_claim {
	uint32_t taken; /* by whom; 0: free.  32 bits: RISC-V has no exchange of a byte */
};

CPRNG_INLINE bool cprng_claim_replace(struct cprng_claim *claim, uint32_t from, uint32_t to)
{
	return __atomic_compare_exchange_n(&claim->taken, &from, to, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* The owner is not 0. */
CPRNG_INLINE bool cprng_claim_try(struct cprng_claim *claim, uint32_t owner)
{
	/* A look first, which leaves the line to the users that write it. */
	return __atomic_load_n(&claim->taken, __ATOMIC_RELAXED) == 0 && cprng_claim_replace(claim, 0, owner);
}

CPRNG_INLINE void cprng_claim_release(struct cprng_claim *claim)
{
	__atomic_store_n(&claim->taken, 0, __ATOMIC_RELEASE);
}

#endif
