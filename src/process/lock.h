/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock, for repairs of the state, Fortuna and its sources.  A waiting thread sleeps in the operating system, so a
 * real-time thread lets the holder run, whatever the holder's priority is.  There is no priority inheritance.
 *
 * The caller has blocked signals (cprng_os_block_signals), and restores them when it holds no lock any more: then a
 * handler neither finds its own thread holding a lock nor leaves it held by jumping away.  Synchronous signals stay
 * unblocked: a handler for one of them may find its thread in the middle, which cprng_lock_is_mine() reports.
 *
 * Zero is free: a lock in a page that is wiped in a forked child is free there, whichever thread held it in the parent.
 */
#ifndef CPRNG_PROCESS_LOCK_H
#define CPRNG_PROCESS_LOCK_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

struct cprng_lock {
	/*
	 * The holder's number (cprng_os_this_thread), 0 when free.  Lock and owner are one word, so that the lock is never held
	 * without an owner.  Bit 0 is set while threads sleep until the lock is free.
	 */
	uintptr_t word;
};

/* Take the lock, waiting for it.  Aborts with a message when the calling thread holds it: that wait would never end. */
void cprng_lock_take(struct cprng_lock *lock);

/* Take the lock if it is free; returns whether it was. */
bool cprng_lock_try(struct cprng_lock *lock) CPRNG_MUST_CHECK;

/* Release the lock; no effect on one that a fork has wiped since the caller took it. */
void cprng_lock_release(struct cprng_lock *lock);

/* Return whether the calling thread holds the lock; false after a fork that wiped it. */
bool cprng_lock_is_mine(const struct cprng_lock *lock);

CPRNG_END_DECLARATIONS

#endif
