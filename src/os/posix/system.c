/* SPDX-License-Identifier: BSD-2-Clause */
/* os.h on POSIX and getentropy(3): memory, signals, clocks. */
#include "os/unix/bsd.h"
#if (!defined(__linux__) || defined(CPRNG_POSIX)) && !defined(_WIN32) && !defined(__wasi__)

#include "os/os.h"
#include "os/unix/calls.h"

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#if __has_include(<sys/random.h>)
#include <sys/random.h> /* getentropy() on macOS */
#endif

const char cprng_os_entropy_name[] = "getentropy";
const char cprng_os_no_entropy[] = "no random numbers from the system: getentropy";

size_t cprng_os_page_size(void)
{
	const long size = sysconf(_SC_PAGESIZE);

	return size > 0 ? (size_t)size : 4096;
}

#ifndef MAP_CONCEAL /* OpenBSD: leave the mapping out of core dumps */
#define MAP_CONCEAL 0
#endif

/* The address of errno, which is unique to each thread. */
uintptr_t cprng_os_this_thread(void)
{
	return (uintptr_t)&errno;
}

#ifndef CPRNG_BSD_MACOS
void *cprng_os_map(size_t len)
{
	const int saved_errno = errno;
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_CONCEAL, -1, 0);

	errno = saved_errno;
	return p == MAP_FAILED ? NULL : p;
}

void cprng_os_unmap(void *p, size_t len)
{
	(void)CPRNG_QUIET(munmap(p, len));
}
#endif

bool cprng_os_lock_memory(void *p, size_t len)
{
	const size_t page = cprng_os_page_size();
	const uintptr_t begin = (uintptr_t)p / page * page, end = ((uintptr_t)p + len + page - 1) / page * page;

#ifdef __OpenBSD__ /* pledge(2) kills a program that calls mlock(2); swap is encrypted there */
	(void)begin;
	(void)end;
	return false;
#else
	return CPRNG_QUIET(mlock((void *)begin, end - begin)) == 0;
#endif
}

long cprng_os_process_id(void)
{
	return (long)getpid();
}

/*
 * POSIX cannot save a signal set as a whole, so sets are saved signal by signal, one for each bit.  A signal that does not exist
 * only changes errno.
 */
enum { SIGNALS_END = 128 };

/*
 * Signal sets do not contain the C library's own signals, so cancellation is disabled as well.  It is also deferred: with
 * asynchronous cancellation, glibc before 2.41 cancels a thread that has disabled cancellation after the signal was sent.
 *
 * The state and type are saved in the bits of signal 0, which does not exist, and of SIGSTOP, which is never blocked.
 */
#define CANCELLABLE UINT64_C(1)
#define ASYNCHRONOUSLY (UINT64_C(1) << SIGSTOP)
_Static_assert(SIGSTOP < 64, "its bit is in the first word");

void cprng_os_block_signals(struct cprng_os_signals *saved)
{
	static const int synchronous[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	const int saved_errno = errno;
	sigset_t blocked, before;
	int cancel_state = PTHREAD_CANCEL_DISABLE, cancel_type = PTHREAD_CANCEL_DEFERRED;

	*saved = (struct cprng_os_signals){ { 0, 0 } };
	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	(void)pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &cancel_type);
	(void)sigfillset(&blocked);
	for (size_t i = 0; i < CPRNG_ARRAY_SIZE(synchronous); i++)
		(void)sigdelset(&blocked, synchronous[i]);
	(void)sigemptyset(&before);
	/* If the call is refused: a set that no thread can have, because SIGKILL is never blocked. */
	if (pthread_sigmask(SIG_BLOCK, &blocked, &before) != 0)
		(void)sigaddset(&before, SIGKILL);
	for (int signal = 1; signal < SIGNALS_END; signal++) {
		if (sigismember(&before, signal) == 1)
			saved->word[signal / 64] |= UINT64_C(1) << signal % 64;
	}
	if (cancel_state != PTHREAD_CANCEL_DISABLE)
		saved->word[0] |= CANCELLABLE;
	if (cancel_type != PTHREAD_CANCEL_DEFERRED)
		saved->word[0] |= ASYNCHRONOUSLY;
	errno = saved_errno;
}

void cprng_os_restore_signals(const struct cprng_os_signals *saved)
{
	const int saved_errno = errno;
	int before;
	sigset_t set;

	(void)sigemptyset(&set);
	for (int signal = 1; signal < SIGNALS_END; signal++) {
		if ((saved->word[signal / 64] >> signal % 64 & 1) != 0)
			(void)sigaddset(&set, signal);
	}
	if ((saved->word[SIGKILL / 64] >> SIGKILL % 64 & 1) == 0)
		(void)pthread_sigmask(SIG_SETMASK, &set, NULL);
	errno = saved_errno;
	if ((saved->word[0] & ASYNCHRONOUSLY) != 0)
		(void)pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	if ((saved->word[0] & CANCELLABLE) != 0)
		(void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
}

long cprng_os_sleep(uint32_t nanoseconds)
{
	const struct timespec duration = { 0, (long)nanoseconds };
	int cancel_state;
	long r;

	(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	r = CPRNG_QUIET(nanosleep(&duration, NULL));
	(void)pthread_setcancelstate(cancel_state, &cancel_state);
	return r;
}

uint64_t cprng_os_nanoseconds(void)
{
	struct timespec t = { 0, 0 };

	if (CPRNG_QUIET(clock_gettime(CLOCK_MONOTONIC, &t)) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint32_t cprng_os_seconds(void)
{
	return (uint32_t)(cprng_os_nanoseconds() / 1000000000u);
}

long cprng_os_unix_milliseconds(uint64_t *milliseconds)
{
	struct timespec t = { 0, 0 };
	const long error = CPRNG_QUIET(clock_gettime(CLOCK_REALTIME, &t));

	*milliseconds = t.tv_sec < 0 ? 0 : (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	return error;
}

/* The maximum length of a call; POSIX guarantees 256. */
#ifndef GETENTROPY_MAX
#define GETENTROPY_MAX 256
#endif

long cprng_os_entropy(void *buf, size_t len)
{
	uint8_t *const bytes = buf;

	for (size_t at = 0, n; at < len; at += n) {
		long r;

		n = len - at < GETENTROPY_MAX ? len - at : GETENTROPY_MAX;
		r = CPRNG_QUIET(getentropy(bytes + at, n));
		if (r != 0)
			return r;
	}
	return 0;
}

#endif
