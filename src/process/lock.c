/* SPDX-License-Identifier: BSD-2-Clause */
#include "process/lock.h"

#include "core/bytes.h"
#include "os/os.h"

/* After the third form of Drepper's "Futexes Are Tricky", 2011. */
enum { WAITED_FOR = 1 };

/* A holder needs less than a microsecond as a rule, and then looking again is cheaper than sleeping. */
#define SPINS 100

/* What cprng_os_wait() compares has 32 bits. */
static uint32_t *low_half(struct cprng_lock *lock)
{
	return (uint32_t *)&lock->word + (cprng_le32(1) == 1 ? 0 : sizeof(lock->word) / 4 - 1);
}

bool cprng_lock_is_mine(const struct cprng_lock *lock)
{
	return (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) & ~(uintptr_t)WAITED_FOR) == cprng_os_this_thread();
}

static bool lock_take(struct cprng_lock *lock, uintptr_t as)
{
	uintptr_t word = 0;

	return __atomic_load_n(&lock->word, __ATOMIC_RELAXED) == 0 &&
	       __atomic_compare_exchange_n(&lock->word, &word, as, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

bool cprng_lock_try(struct cprng_lock *lock)
{
	return lock_take(lock, cprng_os_this_thread());
}

void cprng_lock_take(struct cprng_lock *lock)
{
	uintptr_t word;

	if (cprng_lock_is_mine(lock))
		cprng_os_die("a signal handler wants a lock that its own thread holds", 0);
	for (int i = 0; i < SPINS; i++) {
		if (cprng_lock_try(lock))
			return;
	}
	/* A thread that woke up does not know whether others still sleep, so it takes the lock as waited for. */
	while (!lock_take(lock, cprng_os_this_thread() | WAITED_FOR)) {
		word = __atomic_load_n(&lock->word, __ATOMIC_RELAXED);
		if (word != 0 && ((word & WAITED_FOR) != 0 ||
				  __atomic_compare_exchange_n(&lock->word, &word, word | WAITED_FOR, false,
							      __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
			cprng_os_wait(low_half(lock), (uint32_t)(word | WAITED_FOR));
	}
}

void cprng_lock_release(struct cprng_lock *lock)
{
	if (cprng_lock_is_mine(lock) && (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) & WAITED_FOR) != 0)
		cprng_os_wake(low_half(lock));
}
