/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock for the few places that cannot do without; who waits sleeps in the kernel (futex).
 *
 * The caller has blocked all signals of its thread, and lets them in again when it holds no lock any more: then no
 * handler can find its own thread holding one, or leave it held by jumping away.
 *
 * Zero is free: a lock in a page that is wiped in a forked child is free there, whoever held it in the parent.
 */
#ifndef CPRNG_LINUX_LOCK_H
#define CPRNG_LINUX_LOCK_H

#include "core/port.h"

struct cprng_lock {
	uint32_t word; /* free, held, held and waited for */
};

void cprng_lock_take(struct cprng_lock *lock);
bool cprng_lock_try(struct cprng_lock *lock) CPRNG_MUST_CHECK;
void cprng_lock_release(struct cprng_lock *lock);

#endif
