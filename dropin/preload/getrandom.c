/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replaces getrandom(2) and getentropy(3), with the results, errno and limits of the kernel and the C library.
 *
 * The kernel serves the calls that it may refuse: those with unknown flags, those before it has reported that its generator is
 * seeded, and those whose buffer may be unwritable.  A write to a bad address would raise SIGSEGV here, where the kernel returns
 * EFAULT.  So the kernel first writes one random byte to each page, which this library then remembers.  A program that unmaps a
 * remembered page and passes it again gets SIGSEGV, as from glibc 2.41's getrandom, which also runs in user space.
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
	/* The smallest page size; each part of a larger page is checked separately. */
	PAGE = 4096,
	/* 4 MiB.  Every page of a longer buffer costs a system call each time, a third of the time that its bytes take. */
	PAGES = 1024,
};

/* The kernel's limit per call (MAX_RW_COUNT). */
static size_t longest(void)
{
	return INT_MAX & ~((size_t)sysconf(_SC_PAGESIZE) - 1);
}

/* The initial stack's end, or UINTPTR_MAX if unknown.  Addresses beyond it may be outside user space. */
static uintptr_t stack_end = UINTPTR_MAX;

/* Whether the kernel has reported that its generator is seeded, which then holds until shutdown. */
static bool seeded;

/* Numbers of the pages that the kernel has written to; a replaced entry costs one system call. */
static uintptr_t writable[PAGES];

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
	const uintptr_t name = getauxval(AT_EXECFN); /* the last object on the stack */
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
 * Check each page of the buffer; len is not 0.  A page is written only after all pages before it, as in the kernel's
 * own partial write.  A buffer that exceeds the address space is not written at all.
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
