/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/sys.h"

#include "os/os.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h> /* renameat() */
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* CPUID as glibc read it at start-up: <sys/platform/x86.h> of 2.33; weak, because older versions lack it. */
#if defined(__x86_64__) && defined(__GLIBC__)
struct libc_cpuid {
	uint32_t registers[4], active[4];
};
extern const struct libc_cpuid *libc_cpuid_leaf(unsigned int index) __asm__("__x86_get_cpuid_feature_leaf")
	__attribute__((weak));
enum { LIBC_CPUID_1 = 0, LIBC_CPUID_7 = 1 };
#define LIBC_KEEPS_CPUID
#endif

/* From <linux/futex.h>, which some C libraries lack. */
enum { FUTEX_WAIT_PRIVATE = 0 | 128, FUTEX_WAKE_PRIVATE = 1 | 128 };

/* The kernel's __kernel_long_t: on x32 it has 64 bits, and long has 32. */
#if defined(__x86_64__) && defined(__ILP32__)
typedef long long kernel_long;
#else
typedef long kernel_long;
#endif

/* The size of the kernel's signal set: 64 signals, or 128 on MIPS. */
#ifdef __mips__
#define KERNEL_SIGSET_SIZE 16
#else
#define KERNEL_SIGSET_SIZE 8
#endif

/*
 * Bypass the C library where the calling convention is known: the first draw of a forked child makes this call, and would fault
 * in two pages of libc's code for it.
 */
CPRNG_HOT long cprng_sys_getrandom(void *buf, size_t len)
{
#if defined(__x86_64__) && !defined(__ILP32__)
	long result = SYS_getrandom;

	__asm__ volatile("syscall" : "+a"(result) : "D"(buf), "S"(len), "d"(0) : "rcx", "r11", "memory");
	return result;
#else
	return CPRNG_QUIET(syscall(SYS_getrandom, buf, len, 0));
#endif
}

long cprng_sys_mmap(size_t len, int prot, int extra_flags)
{
	int saved_errno = errno;
	void *p = mmap(NULL, len, prot, MAP_ANONYMOUS | extra_flags, -1, 0);
	long result = p == MAP_FAILED ? -errno : (long)p;

	errno = saved_errno;
	return result;
}

long cprng_sys_map_file(int fd, size_t len)
{
	int saved_errno = errno;
	void *p = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, 0);
	long result = p == MAP_FAILED ? -errno : (long)p;

	errno = saved_errno;
	return result;
}

long cprng_sys_munmap(void *p, size_t len)
{
	return CPRNG_QUIET(munmap(p, len));
}

long cprng_sys_madvise(void *p, size_t len, int advice)
{
	return CPRNG_QUIET(madvise(p, len, advice));
}

long cprng_sys_mlock(void *p, size_t len)
{
	return CPRNG_QUIET(syscall(SYS_mlock2, p, len, 1 /* MLOCK_ONFAULT */));
}

long cprng_sys_membarrier(int command)
{
	return CPRNG_QUIET(syscall(SYS_membarrier, command, 0, 0));
}

#if defined(__x86_64__)
#define RSEQ_NUMBER 334
#define RSEQ_SIGNATURE 0x53053053
#elif defined(__aarch64__)
#define RSEQ_NUMBER 293
/* An instruction, in the byte order of data. */
#define RSEQ_SIGNATURE (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0xd428bc00 : 0x00bc28d4)
#endif

/* Older headers lack the call and its structure, which has 32 bytes here. */
long cprng_sys_rseq(void *area, int flags)
{
#ifdef RSEQ_NUMBER
	return CPRNG_QUIET(syscall(RSEQ_NUMBER, area, 32u, flags, RSEQ_SIGNATURE));
#else
	(void)area;
	(void)flags;
	return -ENOSYS;
#endif
}

long cprng_sys_cpu_mask_size(void)
{
	unsigned long mask[8192 / 8 / sizeof(unsigned long)]; /* 8192: the largest NR_CPUS of any configuration */

	return CPRNG_QUIET(syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask));
}

long cprng_os_process_id(void)
{
	return CPRNG_QUIET(syscall(SYS_getpid));
}

long cprng_sys_gettid(void)
{
	return CPRNG_QUIET(syscall(SYS_gettid));
}

long cprng_sys_tid_address(uint32_t **word)
{
	return CPRNG_QUIET(prctl(PR_GET_TID_ADDRESS, word, 0, 0, 0));
}

long cprng_sys_set_tid_address(uint32_t *word)
{
	return CPRNG_QUIET(syscall(SYS_set_tid_address, word));
}

long cprng_sys_geteuid(void)
{
#ifdef SYS_geteuid32 /* architectures whose original call returns 16 bits */
	return CPRNG_QUIET(syscall(SYS_geteuid32));
#else
	return CPRNG_QUIET(syscall(SYS_geteuid));
#endif
}

uint64_t cprng_sys_longest_file(void)
{
	uint64_t limits[2]; /* 64 bits each on every architecture */

	return CPRNG_QUIET(syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, limits)) == 0 ? limits[0] : UINT64_MAX;
}

/* This and the calls below bypass libc where its function is a cancellation point. */
long cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode)
{
	return CPRNG_QUIET(syscall(SYS_openat, dir, path, flags, mode));
}

long cprng_sys_close(int fd)
{
	return CPRNG_QUIET(syscall(SYS_close, fd));
}

/* Through libc, whose structure differs from the kernel's on some architectures. */
long cprng_sys_fstat(int fd, struct stat *status)
{
	return CPRNG_QUIET(fstat(fd, status));
}

long cprng_sys_fstatat(int dir, const char *name, struct stat *status)
{
	return CPRNG_QUIET(fstatat(dir, name, status, AT_SYMLINK_NOFOLLOW));
}

long cprng_sys_file_system(int fd, uint32_t *kind)
{
	struct statfs status = { 0 };
	long r = CPRNG_QUIET(fstatfs(fd, &status));

	*kind = (uint32_t)status.f_type;
	return r;
}

long cprng_sys_flock(int fd, int operation)
{
	return CPRNG_QUIET(flock(fd, operation));
}

long cprng_sys_fchmod(int fd, unsigned int mode)
{
	return CPRNG_QUIET(fchmod(fd, mode));
}

long cprng_sys_read(int fd, void *buf, size_t len)
{
	return CPRNG_QUIET(syscall(SYS_read, fd, buf, len));
}

long cprng_sys_write(int fd, const void *buf, size_t len)
{
	return CPRNG_QUIET(syscall(SYS_write, fd, buf, len));
}

long cprng_sys_fsync(int fd)
{
	return CPRNG_QUIET(syscall(SYS_fsync, fd));
}

long cprng_sys_renameat(int dir, const char *from, const char *to)
{
	return CPRNG_QUIET(renameat(dir, from, dir, to));
}

long cprng_sys_unlinkat(int dir, const char *name)
{
	return CPRNG_QUIET(unlinkat(dir, name, 0));
}

long cprng_os_sleep(uint32_t nanoseconds)
{
	/* The structure of this call always has two words of the kernel, whatever the size of libc's time_t is. */
	const kernel_long duration[2] = { 0, (kernel_long)nanoseconds };

	return CPRNG_QUIET(syscall(SYS_nanosleep, duration, NULL));
}

/* The kernel's set: signal n is bit n - 1 of an array of long. */
typedef unsigned long kernel_sigset[KERNEL_SIGSET_SIZE / sizeof(unsigned long)];

void cprng_os_block_signals(struct cprng_os_signals *saved)
{
	static const int synchronous[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS };
	const unsigned int bits = 8 * sizeof(unsigned long);
	kernel_sigset blocked;

	/* Bypass libc, which would leave its own two signals (cancellation, setuid) unblocked. */
	memset(blocked, 0xff, sizeof(blocked));
	for (size_t i = 0; i < CPRNG_ARRAY_SIZE(synchronous); i++) {
		const unsigned int bit = (unsigned int)synchronous[i] - 1;

		blocked[bit / bits] &= ~(1ul << bit % bits);
	}
	/* Stays if the call is refused: a set that no thread has, because SIGKILL is never blocked. */
	memset(saved, 0xff, sizeof(*saved));
	CPRNG_QUIET(syscall(SYS_rt_sigprocmask, SIG_BLOCK, blocked, saved->word, KERNEL_SIGSET_SIZE));
}

void cprng_os_restore_signals(const struct cprng_os_signals *saved)
{
	kernel_sigset set;

	memcpy(set, saved->word, sizeof(set));
	if ((set[0] >> (SIGKILL - 1) & 1) != 0)
		return;
	CPRNG_QUIET(syscall(SYS_rt_sigprocmask, SIG_SETMASK, saved->word, NULL, KERNEL_SIGSET_SIZE));
}

void cprng_os_wait(uint32_t *word, uint32_t value)
{
	CPRNG_QUIET(syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL));
}

void cprng_os_wake(uint32_t *word)
{
	CPRNG_QUIET(syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1));
}

uint64_t cprng_os_nanoseconds(void)
{
	int saved_errno = errno;
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		t = (struct timespec){ 0 };
	errno = saved_errno;
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint32_t cprng_os_seconds(void)
{
	int saved_errno = errno;
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) != 0)
		t.tv_sec = 0;
	errno = saved_errno;
	return (uint32_t)t.tv_sec;
}

long cprng_os_unix_milliseconds(uint64_t *milliseconds)
{
	struct timespec t = { 0, 0 };
	const long error = CPRNG_QUIET(clock_gettime(CLOCK_REALTIME, &t));

	*milliseconds = t.tv_sec < 0 ? 0 : (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
	return error;
}

unsigned long cprng_sys_auxv(unsigned long type)
{
	int saved_errno = errno; /* which getauxval() sets when there is no such entry */
	unsigned long value = getauxval(type);

	errno = saved_errno;
	return value;
}

const char *cprng_sys_environment(const char *name)
{
	return cprng_sys_auxv(AT_SECURE) == 0 ? getenv(name) : NULL;
}

size_t cprng_os_page_size(void)
{
	size_t size = cprng_sys_auxv(AT_PAGESZ);

	return size != 0 ? size : 4096;
}

unsigned long cprng_port_hwcap(unsigned int word)
{
	return cprng_sys_auxv(word == 1 ? AT_HWCAP : AT_HWCAP2);
}

bool cprng_port_cpuid(uint32_t leaf, uint32_t answer[4])
{
#ifdef LIBC_KEEPS_CPUID
	if (libc_cpuid_leaf != NULL) {
		memcpy(answer, libc_cpuid_leaf(leaf == 1 ? LIBC_CPUID_1 : LIBC_CPUID_7)->registers,
		       4 * sizeof(answer[0]));
		return true;
	}
#endif
	(void)leaf;
	(void)answer;
	return false;
}

#endif
