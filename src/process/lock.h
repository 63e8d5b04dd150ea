/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock for the few places that cannot do without one.  A thread that waits sleeps in the kernel (futex), so that a
 * real-time thread lets the holder run, whatever the holder's priority is.
 *
 * The caller has blocked signals (cprng_os_block_signals), and unblocks them when it holds no lock any more: then no
 * handler can find its own thread holding one, or leave it held by jumping away.  Synchronous signals stay unblocked: a
 * handler for one of them may find its thread in the middle, which cprng_lock_is_mine() tells.
 *
 * Zero is free: a lock in a page that is wiped in a forked child is free there, whichever thread held it in the parent.
 */
#ifndef CPRNG_PROCESS_LOCK_H
#define CPRNG_PROCESS_LOCK_H

#include "core/port.h"

#include <errno.h>

struct cprng_lock {
	/*
	 * The holder: a number that no other thread of the address space has, so that the lock is never held without an owner;
	 * 0: free.  Bit 0 tells that threads sleep until it is free.
	 */
	uintptr_t word;
};

/* Aborts with a message when the caller holds it already, which it could only wait for permanently. */
void cprng_lock_take(struct cprng_lock *lock);
bool cprng_lock_try(struct cprng_lock *lock) CPRNG_MUST_CHECK;

/* No effect on a lock that a fork has wiped since the caller took it. */
void cprng_lock_release(struct cprng_lock *lock);

/* Does the calling thread hold it?  Not after a fork that wiped it. */
bool cprng_lock_is_mine(const struct cprng_lock *lock);

/* That number.  errno has an address of its own in each thread, and asking for it is no system call; its bit 0 is 0. */
CPRNG_INLINE uintptr_t cprng_this_thread(void)
{
	return (uintptr_t)&errno;
}

#endif
