/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * WASI: a WebAssembly module has one process, no signals, and no pages that a system could map, wipe or lock.  From the C library
 * this needs getentropy(), clocks and memory.
 */
#ifdef __wasi__

#include "os/os.h"
#include "os/unix/calls.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const char cprng_os_entropy_name[] = "getentropy";
const char cprng_os_no_entropy[] = "no random numbers from the system: getentropy";
const char cprng_os_fork_guard[] = "unbuffered";

/* The memory of a module grows by 64 KiB; the library does not need pages of that size. */
enum { PAGE_SIZE = 4096, MOST = 65536 };

size_t cprng_os_page_size(void)
{
	return PAGE_SIZE;
}

/* Larger requests are for buffers, which are useless here and would grow the module permanently; otherwise one page suffices. */
void *cprng_os_map(size_t len)
{
	const int saved_errno = errno;
	const size_t whole = (len + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
	void *const p = len > MOST ? NULL : aligned_alloc(PAGE_SIZE, whole);

	errno = saved_errno;
	return p == NULL ? NULL : memset(p, 0, whole);
}

void cprng_os_unmap(void *p, size_t len)
{
	(void)len;
	free(p);
}

bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	(void)p;
	(void)len;
	return false;
}

bool cprng_os_lock_memory(void *p, size_t len)
{
	(void)p;
	(void)len;
	return false;
}

long cprng_os_process_id(void)
{
	return 1;
}

/* The address of errno, which is unique to each thread. */
uintptr_t cprng_os_this_thread(void)
{
	return (uintptr_t)&errno;
}

bool cprng_os_is_first_thread(void)
{
	return false;
}

uint32_t cprng_os_cpu_limit(void)
{
	return 0;
}

void cprng_os_block_signals(struct cprng_os_signals *saved)
{
	*saved = (struct cprng_os_signals){ { 0, 0 } };
}

void cprng_os_restore_signals(const struct cprng_os_signals *saved)
{
	(void)saved;
}

/* The thread polls the word a thousand times a second. */
void cprng_os_wait(uint32_t *word, uint32_t value)
{
	if (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
		(void)cprng_os_sleep(1000000);
}

void cprng_os_wake(uint32_t *word)
{
	(void)word;
}

long cprng_os_sleep(uint32_t nanoseconds)
{
	const struct timespec duration = { 0, (long)nanoseconds };

	return CPRNG_QUIET(nanosleep(&duration, NULL));
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

/* The maximum length of a call in POSIX. */
enum { ENTROPY_MAX = 256 };

long cprng_os_entropy(void *buf, size_t len)
{
	uint8_t *const bytes = buf;

	for (size_t at = 0, n; at < len; at += n) {
		long r;

		n = len - at < ENTROPY_MAX ? len - at : ENTROPY_MAX;
		r = CPRNG_QUIET(getentropy(bytes + at, n));
		if (r != 0)
			return r;
	}
	return 0;
}

void cprng_os_end(const char *line, size_t len)
{
	(void)!write(STDERR_FILENO, line, len);
	abort();
}

#endif
