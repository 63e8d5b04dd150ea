/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: memory, processes and threads, waiting, clocks, the fatal error message. */
#ifdef _WIN32

#include "os/os.h"
#include "os/windows/calls.h"

size_t cprng_os_page_size(void)
{
	SYSTEM_INFO system;

	GetSystemInfo(&system);
	return system.dwPageSize;
}

void *cprng_os_map(size_t len)
{
	return CPRNG_QUIETLY(VirtualAlloc(NULL, len, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE));
}

/* Let error reports include the excluded range that begins there; no effect if none does. */
static void include(void *p, size_t at)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();

	if (calls->wer_include != NULL)
		(void)CPRNG_QUIETLY(calls->wer_include((const uint8_t *)p + at));
}

void cprng_os_unmap(void *p, size_t len)
{
	const size_t page = cprng_os_page_size();

	/* A process may have 512 such ranges.  Only the caller of the exclusion knew where this one begins, so try each page. */
	for (size_t at = 0; at < len; at += page)
		include(p, at);
	(void)CPRNG_QUIETLY(VirtualFree(p, 0, MEM_RELEASE));
}

const char cprng_os_fork_guard[] = "no fork";

/*
 * On Windows no process begins with a copy of another one's memory, so nothing needs to be wiped.  The undocumented
 * RtlCloneUserProcess does create such processes, and is not covered (docs/systems.md).
 *
 * The range is left out of error reports; a full dump by a debugger contains it.
 */
bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();

	include(p, 0); /* repeated calls then use one of the ranges */
	if (calls->wer_exclude != NULL && len <= UINT32_MAX)
		(void)CPRNG_QUIETLY(calls->wer_exclude(p, (DWORD)len));
	return true;
}

bool cprng_os_lock_memory(void *p, size_t len)
{
	return CPRNG_QUIETLY(VirtualLock(p, len)) != 0;
}

long cprng_os_process_id(void)
{
	return (long)GetCurrentProcessId();
}

uintptr_t cprng_os_this_thread(void)
{
	return (uintptr_t)GetCurrentThreadId() << 1;
}

/* Only used in forked children. */
bool cprng_os_is_first_thread(void)
{
	return false;
}

uint32_t cprng_os_cpu_limit(void)
{
	return CPRNG_QUIETLY(GetMaximumProcessorCount(ALL_PROCESSOR_GROUPS));
}

/*
 * No handler interrupts a thread at an arbitrary instruction: console events and the C library's SIGINT run in separate threads,
 * and asynchronous procedure calls wait until their thread asks for them.  Those queued by QueueUserAPC2() with
 * QUEUE_USER_APC_FLAGS_SPECIAL_USER_APC do not wait, cannot be blocked, and must not draw (docs/systems.md).
 */
void cprng_os_block_signals(struct cprng_os_signals *saved)
{
	*saved = (struct cprng_os_signals){ { 0, 0 } };
}

void cprng_os_restore_signals(const struct cprng_os_signals *saved)
{
	(void)saved;
}

void cprng_os_wait(uint32_t *word, uint32_t value)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();

	if (calls->wait_on_address != NULL && calls->wake_by_address != NULL)
		(void)CPRNG_QUIETLY(calls->wait_on_address(word, &value, sizeof(*word), INFINITE));
	else if (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
		Sleep(1);
}

void cprng_os_wake(uint32_t *word)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();

	if (calls->wait_on_address != NULL && calls->wake_by_address != NULL)
		calls->wake_by_address(word);
}

/* One millisecond more than requested, because the first one may end at once, with the system's tick. */
long cprng_os_sleep(uint32_t nanoseconds)
{
	Sleep(nanoseconds == 0 ? 0 : (nanoseconds + 999999) / 1000000 + 1);
	return 0;
}

uint64_t cprng_os_nanoseconds(void)
{
	LARGE_INTEGER count, frequency;
	uint64_t seconds, rest;

	/* Neither call fails on Windows XP and later. */
	if (!QueryPerformanceFrequency(&frequency) || !QueryPerformanceCounter(&count) || frequency.QuadPart <= 0)
		return 0;
	seconds = (uint64_t)count.QuadPart / (uint64_t)frequency.QuadPart;
	rest = (uint64_t)count.QuadPart % (uint64_t)frequency.QuadPart;
	return seconds * 1000000000u + rest * 1000000000u / (uint64_t)frequency.QuadPart;
}

uint32_t cprng_os_seconds(void)
{
	return (uint32_t)(cprng_os_nanoseconds() / 1000000000u);
}

/* The clock counts units of 100 ns since 1601. */
long cprng_os_unix_milliseconds(uint64_t *milliseconds)
{
	const uint64_t epoch = UINT64_C(11644473600000);
	FILETIME now;
	uint64_t since_1601;

	GetSystemTimeAsFileTime(&now);
	since_1601 = ((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) / 10000;
	*milliseconds = since_1601 < epoch ? 0 : since_1601 - epoch;
	return 0;
}

/*
 * Not abort(3): in one C library it writes a second line, and in the other it ends in this way, too.  Calls no handler of the
 * program, and Windows records an error report.
 */
void cprng_os_end(const char *line, size_t len)
{
	DWORD written;

	(void)WriteFile(GetStdHandle(STD_ERROR_HANDLE), line, (DWORD)len, &written, NULL);
	RaiseFailFastException(NULL, NULL, 0);
	for (;;)
		(void)TerminateProcess(GetCurrentProcess(), (UINT)STATUS_FATAL_APP_EXIT);
}

#endif
