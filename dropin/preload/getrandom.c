/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces getrandom(2) and getentropy(3), with the results, errno and limits of the kernel and the C library.
 *
 * The kernel serves the calls that it may refuse: those with unknown flags, and those before it has reported that its generator
 * is seeded.  A bad address raises SIGSEGV, where the system call returns EFAULT.  The getrandom of glibc 2.41, which also runs in
 * user space, does the same.
 */
#include <cprng/cprng.h>

#include "preload.h"
#include "report.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef GRND_INSECURE /* Linux 5.6 */
#define GRND_INSECURE 4
#endif

/* The kernel's limit per call (MAX_RW_COUNT). */
static size_t longest(void)
{
	return INT_MAX & ~((size_t)sysconf(_SC_PAGESIZE) - 1);
}

/* Whether the kernel has reported that its generator is seeded, which then holds until shutdown. */
static bool seeded;

static ssize_t call(void *buf, size_t len, unsigned int flags)
{
	ssize_t n = syscall(SYS_getrandom, buf, len, flags);

	if (n >= 0 && (flags & GRND_INSECURE) == 0)
		__atomic_store_n(&seeded, true, __ATOMIC_RELAXED);
	return n;
}

/*
 * Set up the library when it is loaded, because the program may enter a sandbox later, but not before the kernel is
 * seeded early in the boot: a process that needs no random numbers must not wait.
 */
__attribute__((constructor)) static void start(void)
{
	const int saved = errno;
	unsigned char byte;

	if (call(&byte, sizeof(byte), GRND_NONBLOCK) == 1)
		cprng_fast(&byte, sizeof(byte));
	errno = saved;
}

static ssize_t draw(enum counted function, void *buf, size_t len, unsigned int flags)
{
	const unsigned int known = GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE;
	const unsigned int exclusive = GRND_RANDOM | GRND_INSECURE;
	ssize_t n;

	if (__builtin_expect(len > INT_MAX / 2, 0) && len > longest())
		len = longest();
	if (len != 0 && (flags & ~known) == 0 && (flags & exclusive) != exclusive &&
	    __atomic_load_n(&seeded, __ATOMIC_RELAXED)) {
		cprng_fast(buf, len);
		count(function, len);
		return (ssize_t)len;
	}
	n = call(buf, len, flags);
	count(KERNEL, n > 0 ? (size_t)n : 0);
	count(function, n > 0 ? (size_t)n : 0);
	return n;
}

EXPORT ssize_t getrandom(void *buf, size_t len, unsigned int flags)
{
	pthread_testcancel(); /* as in the C library */
	return draw(GETRANDOM, buf, len, flags);
}

EXPORT int getentropy(void *buf, size_t len)
{
	size_t done = 0;

	if (len > 256) {
		errno = EIO;
		return -1;
	}
	while (done < len) {
		ssize_t n = draw(GETENTROPY, (char *)buf + done, len - done, 0);

		if (n > 0) {
			done += (size_t)n;
		} else if (n == 0) {
			errno = EIO;
			return -1;
		} else if (errno != EINTR) {
			return -1;
		}
	}
	return 0;
}
