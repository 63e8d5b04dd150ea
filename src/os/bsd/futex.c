/* SPDX-License-Identifier: BSD-2-Clause */
/* NetBSD and OpenBSD: waits with futex(2). */
#include "os/unix/bsd.h"
#ifdef CPRNG_BSD_FUTEX

#include "os/os.h"
#include "os/unix/calls.h"

#include <sys/types.h>

#include <sys/time.h>

#ifdef __OpenBSD__
#include <sys/futex.h>

#define SLEEP(word, value) futex((word), FUTEX_WAIT_PRIVATE, (int)(value), NULL, NULL)
#define WAKE(word) futex((word), FUTEX_WAKE_PRIVATE, 1, NULL, NULL)
#else
#include <sys/syscall.h>
#include <unistd.h>

/* NetBSD 10: the C library has no function for it; the operations have the numbers of Linux. */
#define FUTEX_WAIT_PRIVATE 128
#define FUTEX_WAKE_PRIVATE 129
#ifdef SYS___futex
#define SLEEP(word, value) syscall(SYS___futex, (word), FUTEX_WAIT_PRIVATE, (int)(value), NULL, NULL, 0, 0)
#define WAKE(word) syscall(SYS___futex, (word), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0, 0)
#else
#define SLEEP(word, value) cprng_os_sleep(1000000)
#define WAKE(word) 0
#endif
#endif

void cprng_os_wait(uint32_t *word, uint32_t value)
{
	if (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
		(void)CPRNG_QUIET(SLEEP(word, value));
}

void cprng_os_wake(uint32_t *word)
{
	(void)word;
	(void)CPRNG_QUIET(WAKE(word));
}

#endif
