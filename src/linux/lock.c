/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/lock.h"

#include "linux/sys.h"

#include <errno.h>

/* The third form of Drepper's "Futexes Are Tricky", 2011. */
enum { FREE, HELD, WAITED_FOR };

/* Holders need less than a microsecond as a rule; then it is cheaper to look again than to sleep. */
#define SPINS 100

/* errno has an address of its own in each thread, and asking for it is no system call. */
static uintptr_t this_thread(void)
{
	return (uintptr_t)&errno;
}

static void set_owner(struct cprng_lock *lock, uintptr_t owner)
{
	__atomic_store_n(&lock->owner, owner, __ATOMIC_RELAXED);
}

bool cprng_lock_is_mine(const struct cprng_lock *lock)
{
	return __atomic_load_n(&lock->owner, __ATOMIC_RELAXED) == this_thread();
}

void cprng_lock_take(struct cprng_lock *lock)
{
	if (cprng_lock_is_mine(lock))
		cprng_die("a signal handler wants a lock that its own thread holds", 0);
	for (int i = 0; i < SPINS; i++) {
		if (cprng_lock_try(lock))
			return;
	}
	/* The thread that wakes cannot know if others sleep still, so it takes the lock as waited for. */
	while (__atomic_exchange_n(&lock->word, WAITED_FOR, __ATOMIC_ACQUIRE) != FREE)
		cprng_sys_futex_wait(&lock->word, WAITED_FOR);
	set_owner(lock, this_thread());
}

bool cprng_lock_try(struct cprng_lock *lock)
{
	uint32_t word = FREE;

	if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) != FREE ||
	    !__atomic_compare_exchange_n(&lock->word, &word, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return false;
	set_owner(lock, this_thread());
	return true;
}

void cprng_lock_release(struct cprng_lock *lock)
{
	if (!cprng_lock_is_mine(lock))
		return;
	set_owner(lock, 0);
	if (__atomic_exchange_n(&lock->word, FREE, __ATOMIC_RELEASE) == WAITED_FOR)
		cprng_sys_futex_wake(&lock->word);
}
