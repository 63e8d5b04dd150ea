/* SPDX-License-Identifier: BSD-2-Clause */
/* Restartable sequences with musl and other C libraries, which register no thread. */
#include "os/linux/sequences.h"
#if defined(CPRNG_SEQUENCES) && !defined(__GLIBC__)

#include "os/linux/sys.h"

#include <pthread.h>

/* The key plus 1; 0 until it is created, NO_KEY if that failed. */
static uint32_t the_key;
#define NO_KEY UINT32_MAX

static pthread_key_t key_of(uint32_t number)
{
	return (pthread_key_t)(number - 1);
}

/*
 * The key's destructor: it unregisters the area of a thread that ends.  musl unmaps the memory of a detached thread before the
 * thread's last system call, and the kernel could write to the area in between.
 *
 * After the destructor a thread never joins again: other destructors, and signal handlers, then draw the kernel's bytes.
 */
static void leave(void *unused)
{
	const bool joined = cprng_sequences_state_now() == CPRNG_OS_JOINED;
	long r;

	(void)unused;
	/* First, so that no handler begins a sequence after this. */
	cprng_sequences_set_state(CPRNG_OS_LEFT);
	r = cprng_sys_rseq(cprng_os_own_area(), CPRNG_RSEQ_UNREGISTER);
	if (joined && r != 0)
		cprng_os_die("a thread that ends cannot be unregistered: rseq", r);
}

/*
 * Create the key if there is none: when the library is loaded, or at an earlier draw by another constructor.  musl never unloads
 * an object, and sets keys' values without allocating memory.
 */
bool cprng_sequences_has_means(void)
{
	uint32_t number = __atomic_load_n(&the_key, __ATOMIC_ACQUIRE), made;
	pthread_key_t key;

	if (number == 0) {
		made = pthread_key_create(&key, leave) == 0 ? (uint32_t)key + 1 : NO_KEY;
		if (__atomic_compare_exchange_n(&the_key, &number, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			number = made;
		else if (made != NO_KEY)
			(void)pthread_key_delete(key_of(made));
	}
	return number != NO_KEY;
}

bool cprng_sequences_prepare_for_end(void)
{
	return pthread_setspecific(key_of(__atomic_load_n(&the_key, __ATOMIC_ACQUIRE)), &cprng_os_own) == 0;
}

/*
 * musl disables cancellation when a thread begins to end.  A thread that has disabled cancellation for another reason joins
 * later.
 */
bool cprng_sequences_is_ending(void)
{
	int before = PTHREAD_CANCEL_DISABLE;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	(void)pthread_setcancelstate(before, NULL);
	return before == PTHREAD_CANCEL_DISABLE;
}

bool cprng_sequences_libc_registers(void)
{
	return false;
}

bool cprng_sequences_registered_by_libc(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

#endif
