/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stubs for what the BSDs have and POSIX lacks.  Without it the library keeps nothing that a fork would copy: every draw consists
 * of fresh bytes of the system (src/process/placement/unbuffered.c).
 */
#include "os/unix/bsd.h"
#if (!defined(__linux__) || defined(CPRNG_POSIX)) && !defined(CPRNG_BSD) && !defined(_WIN32) && !defined(__wasi__)

#include "os/os.h"

const char cprng_os_fork_guard[] = "unbuffered";

/* A forked child has a copy of all memory.  pthread_atfork(3) does not help: a child of vfork(2) or _Fork(3) runs no handler. */
bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	(void)p;
	(void)len;
	return false;
}

bool cprng_os_is_first_thread(void)
{
	return false;
}

uint32_t cprng_os_cpu_limit(void)
{
	return 0;
}

/* POSIX has no wait for a word, so the thread polls it a thousand times a second. */
void cprng_os_wait(uint32_t *word, uint32_t value)
{
	if (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
		(void)cprng_os_sleep(1000000);
}

void cprng_os_wake(uint32_t *word)
{
	(void)word;
}

#endif
