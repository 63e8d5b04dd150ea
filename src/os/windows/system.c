/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows: memory, processes and threads, waiting, clocks, last words. */
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

/* Error reports may have the range again that begins there, if one does. */
static void include(void *p, size_t at)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();

	if (calls->wer_include != NULL)
		(void)CPRNG_QUIETLY(calls->wer_include((const uint8_t *)p + at));
}

void cprng_os_unmap(void *p, size_t len)
{
	const size_t page = cprng_os_page_size();

	/* A process has 512 such ranges.  Where this one begins, its user alone knows. */
	for (size_t at = 0; at < len; at += page)
		include(p, at);
	(void)CPRNG_QUIETLY(VirtualFree(p, 0, MEM_RELEASE));
}

const char cprng_os_fork_guard[] = "no fork";

/*
 * Windows runs no process that begins with a copy of another one's memory, so there is nothing to wipe.  The undocumented
 * RtlCloneUserProcess can, and is not covered (docs/systems.md).
 *
 * Error reports leave the range out; a full dump of a debugger contains it.
 */
bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	const struct cprng_windows_calls *const calls = cprng_windows_calls();

	include(p, 0); /* once, however often this is asked for */
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

/* Asked in forked children alone. */
bool cprng_os_is_first_thread(void)
{
	return false;
}

uint32_t cprng_os_cpu_limit(void)
{
	return CPRNG_QUIETLY(GetMaximumProcessorCount(ALL_PROCESSOR_GROUPS));
}

/*
 * No handler interrupts a thread at any instruction: a console's events and the C library's SIGINT run in threads of their own, and
 * asynchronous procedure calls wait until their thread asks for them.  The calls of QueueUserAPC2() with
 * QUEUE_USER_APC_FLAGS_SPECIAL_USER_APC, which do not wait, cannot be blocked, and must not draw (docs/systems.md).
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

/* One more than the milliseconds that were asked for: the first one may end at once, with the system's tick. */
long cprng_os_sleep(uint32_t nanoseconds)
{
	Sleep(nanoseconds == 0 ? 0 : (nanoseconds + 999999) / 1000000 + 1);
	return 0;
}

uint64_t cprng_os_nanoseconds(void)
{
	LARGE_INTEGER count, frequency;
	uint64_t seconds, rest;

	/* Neither fails since Windows XP. */
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

/*
 * Not abort(3), one form of which writes a second line; the other one ends in this way, too.  No handler of the program is called,
 * and Windows gets a report.
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
