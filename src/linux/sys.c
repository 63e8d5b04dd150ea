/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/sys.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* syscall(3) reports through errno; give the kernel's own convention back and leave errno as it was. */
#define QUIET(call) \
	({ \
		int saved_errno = errno; \
		long result = (call); \
		if (result == -1) \
			result = -errno; \
		errno = saved_errno; \
		result; \
	})

/* The size of the kernel's signal set: 64 signals, 128 on MIPS. */
#ifdef __mips__
#define KERNEL_SIGSET_SIZE 16
#else
#define KERNEL_SIGSET_SIZE 8
#endif

long cprng_sys_getrandom(void *buf, size_t len)
{
	return QUIET(syscall(SYS_getrandom, buf, len, 0));
}

long cprng_sys_mmap(size_t len, int prot, int extra_flags)
{
	int saved_errno = errno;
	void *p = mmap(NULL, len, prot, MAP_ANONYMOUS | extra_flags, -1, 0);
	long result = p == MAP_FAILED ? -errno : (long)p;

	errno = saved_errno;
	return result;
}

long cprng_sys_munmap(void *p, size_t len)
{
	return QUIET(munmap(p, len));
}

long cprng_sys_madvise(void *p, size_t len, int advice)
{
	return QUIET(madvise(p, len, advice));
}

long cprng_sys_mlock(void *p, size_t len)
{
	return QUIET(syscall(SYS_mlock2, p, len, 1 /* MLOCK_ONFAULT */));
}

long cprng_sys_membarrier(int command)
{
	return QUIET(syscall(SYS_membarrier, command, 0, 0));
}

long cprng_sys_cpu_mask_size(void)
{
	unsigned long mask[8192 / 8 / sizeof(unsigned long)]; /* 8192: the largest NR_CPUS of any configuration */

	return QUIET(syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask));
}

long cprng_sys_yield(void)
{
	return QUIET(syscall(SYS_sched_yield));
}

long cprng_sys_pid(void)
{
	return QUIET(syscall(SYS_getpid));
}

void cprng_sys_block_signals(uint64_t *saved)
{
	uint64_t all[KERNEL_SIGSET_SIZE / 8];

	/* Past libc, which would leave its own two signals (cancellation, setuid) open. */
	memset(all, 0xff, sizeof(all));
	QUIET(syscall(SYS_rt_sigprocmask, SIG_BLOCK, all, saved, KERNEL_SIGSET_SIZE));
}

void cprng_sys_restore_signals(const uint64_t *saved)
{
	QUIET(syscall(SYS_rt_sigprocmask, SIG_SETMASK, saved, NULL, KERNEL_SIGSET_SIZE));
}

uint32_t cprng_sys_seconds(void)
{
	int saved_errno = errno;
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) != 0)
		t.tv_sec = 0;
	errno = saved_errno;
	return (uint32_t)t.tv_sec;
}

unsigned long cprng_sys_auxv(unsigned long type)
{
	int saved_errno = errno; /* which getauxval() sets when there is no such entry */
	unsigned long value = getauxval(type);

	errno = saved_errno;
	return value;
}

size_t cprng_sys_page_size(void)
{
	size_t size = cprng_sys_auxv(AT_PAGESZ);

	return size != 0 ? size : 4096;
}

unsigned long cprng_port_hwcap(unsigned int word)
{
	return cprng_sys_auxv(word == 1 ? AT_HWCAP : AT_HWCAP2);
}

/* Decimal digits of value before end; returns where they begin.  printf(3) is not async-signal-safe. */
static char *digits(char *end, unsigned long value)
{
	do
		*--end = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	return end;
}

void cprng_die(const char *what, long error)
{
	char line[160], number[24], *n;
	size_t used = 0;

#define APPEND(text, len) \
	for (size_t i = 0, l = (len); i < l && used < sizeof(line) - 1; i++) \
	line[used++] = (text)[i]

	APPEND("cprng: ", 7);
	APPEND(what, strlen(what));
	if (error < 0) {
		n = digits(number + sizeof(number), (unsigned long)-error);
		APPEND(": error ", 8);
		APPEND(n, (size_t)(number + sizeof(number) - n));
	}
	line[used++] = '\n';
	/* Not write(3), a cancellation point: a thread that ended there would leave the process running. */
	QUIET(syscall(SYS_write, STDERR_FILENO, line, used));
	abort();
}
