/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/lock.h"

#include "linux/sys.h"

/* The third form of Drepper's "Futexes Are Tricky", 2011. */
enum { FREE, HELD, WAITED_FOR };

/* Holders need less than a microsecond as a rule; then it is cheaper to look again than to sleep. */
#define SPINS 100

void cprng_lock_take(struct cprng_lock *lock)
{
	for (int i = 0; i < SPINS; i++) {
		if (cprng_lock_try(lock))
			return;
	}
	/* Whoever wakes cannot know if others sleep still, so it takes the lock as waited for. */
	while (__atomic_exchange_n(&lock->word, WAITED_FOR, __ATOMIC_ACQUIRE) != FREE)
		cprng_sys_futex_wait(&lock->word, WAITED_FOR);
}

bool cprng_lock_try(struct cprng_lock *lock)
{
	uint32_t word = FREE;

	return __atomic_load_n(&lock->word, __ATOMIC_RELAXED) == FREE &&
	       __atomic_compare_exchange_n(&lock->word, &word, HELD, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void cprng_lock_release(struct cprng_lock *lock)
{
	if (__atomic_exchange_n(&lock->word, FREE, __ATOMIC_RELEASE) == WAITED_FOR)
		cprng_sys_futex_wake(&lock->word);
}
