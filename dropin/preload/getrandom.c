/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getrandom(2) and getentropy(3): results, errno and limits are the kernel's and the C library's.
 *
 * The kernel serves a call that it may refuse: with unknown flags; before it has reported that its generator is seeded; and
 * where it is not known that the buffer can be written.  A write to a bad address would be SIGSEGV here, where the kernel
 * returns EFAULT.  So a page is first written by the kernel, one byte of random data, and then remembered.  A program that
 * takes a remembered page away and passes it again gets the signal, as it does by the getrandom of glibc 2.41, which runs in
 * user space as well.
 */
#include <cprng/cprng.h>

#include "preload.h"
#include "report.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef GRND_INSECURE /* Linux 5.6 */
#define GRND_INSECURE 4
#endif

enum {
	/* The smallest page: of a larger one, each part is asked for by itself. */
	PAGE = 4096,
	/* 4 MiB; of a longer buffer every page costs a call each time, which is a third of the time of its bytes. */
	PAGES = 1024,
};

/* No call of the kernel gives more bytes (MAX_RW_COUNT). */
static size_t longest(void)
{
	return INT_MAX & ~((size_t)sysconf(_SC_PAGESIZE) - 1);
}

/* The end of the initial stack, or the end of memory where it is unknown.  What is beyond may be no address of programs. */
static uintptr_t stack_end = UINTPTR_MAX;

/* The kernel has reported that its generator is seeded, which then holds until the machine stops. */
static bool seeded;

/* Numbers of pages that the kernel has written to; an entry that another thread replaces costs one call. */
static uintptr_t writable[PAGES];

static ssize_t call(void *buf, size_t len, unsigned int flags)
{
	ssize_t n = syscall(SYS_getrandom, buf, len, flags);

	if (n >= 0 && (flags & GRND_INSECURE) == 0)
		__atomic_store_n(&seeded, true, __ATOMIC_RELAXED);
	return n;
}

/*
 * The library is set up when it is loaded, because the program may be in a sandbox later; but not while the kernel is still
 * without a seed, early in the boot, where a process must not wait that does not ask for random numbers.
 */
__attribute__((constructor)) static void start(void)
{
	const uintptr_t name = getauxval(AT_EXECFN); /* the last that is on the stack */
	const int saved = errno;
	unsigned char byte;

	if (name != 0)
		stack_end = (name / PAGE + 1) * PAGE;
	if (call(&byte, sizeof(byte), GRND_NONBLOCK) == 1)
		cprng_fast(&byte, sizeof(byte));
	errno = saved;
}

static bool can_be_written(uintptr_t address)
{
	const uintptr_t page = address / PAGE;
	const int saved = errno;

	if (__builtin_expect(__atomic_load_n(&writable[page % PAGES], __ATOMIC_RELAXED) == page, 1))
		return page != 0;
	if (call((void *)address, 1, 0) != 1) {
		errno = saved;
		return false;
	}
	__atomic_store_n(&writable[page % PAGES], page, __ATOMIC_RELAXED);
	return true;
}

/*
 * Each page of the buffer, whose length is not 0.  A page is written to only after all before it: a call that fails writes
 * these, too.  But it writes none of a buffer that reaches out of the address space.
 */
static bool all_can_be_written(uintptr_t first, size_t len)
{
	const uintptr_t last = first + len - 1;

	if (last < first || last >= stack_end || !can_be_written(first))
		return false;
	for (uintptr_t at = (first / PAGE + 1) * PAGE; at <= last && at != 0; at += PAGE) {
		if (!can_be_written(at))
			return false;
	}
	return true;
}

static ssize_t draw(enum counted function, void *buf, size_t len, unsigned int flags)
{
	const unsigned int known = GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE;
	const unsigned int exclusive = GRND_RANDOM | GRND_INSECURE;
	ssize_t n;

	if (__builtin_expect(len > INT_MAX / 2, 0) && len > longest())
		len = longest();
	if (len != 0 && (flags & ~known) == 0 && (flags & exclusive) != exclusive &&
	    __atomic_load_n(&seeded, __ATOMIC_RELAXED) && all_can_be_written((uintptr_t)buf, len)) {
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
	pthread_testcancel(); /* as the C library's */
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
