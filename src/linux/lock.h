/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A lock for the few places that cannot do without: waits in the kernel (futex), and blocks all signals of the thread
 * while it is held, so that no handler can find its own thread holding it, or leave it held by jumping away.
 *
 * Zero is free: a lock in a page that is wiped in a forked child is free there, whoever held it in the parent.
 */
#ifndef CPRNG_LINUX_LOCK_H
#define CPRNG_LINUX_LOCK_H

#include "fortuna/fortuna.h"

struct cprng_lock {
	uint32_t word; /* free, held, held and waited for */
};

void cprng_lock_take(struct cprng_lock *lock, struct cprng_lock_token *token);
bool cprng_lock_try(struct cprng_lock *lock, struct cprng_lock_token *token) CPRNG_MUST_CHECK;
void cprng_lock_release(struct cprng_lock *lock, const struct cprng_lock_token *token);

#endif
