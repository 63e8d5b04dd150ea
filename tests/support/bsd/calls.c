/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shims of FreeBSD's calls over Linux's: minherit(2), _umtx_op(2), pthread_main_np(3), elf_aux_info(3); or of macOS's calls.
 * The environment variable CPRNG_TEST_BSD chooses how they fail: "old" (FreeBSD 11: the inheritance is refused, and no CPU
 * feature is reported), "emulator" (each inheritance is accepted, but has no effect), "no-page" (FreeBSD 12: no fxrng page).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef CPRNG_BSD_MACOS
#include <mach/vm_inherit.h>
#include <sys/sysctl.h>

int __ulock_wait(uint32_t operation, void *word, uint64_t value, uint32_t microseconds);
int __ulock_wake(uint32_t operation, void *word, uint64_t unused);
int os_sync_wait_on_address(void *word, uint64_t value, size_t size, uint32_t flags);
int os_sync_wake_by_address_any(void *word, size_t size, uint32_t flags);
#else
#include <pthread_np.h>
#include <sys/umtx.h>
#endif

static bool is(const char *mode)
{
	const char *set = getenv("CPRNG_TEST_BSD");

	return set != NULL && strcmp(set, mode) == 0;
}

/*
 * Whether this is the thread with which the program began, also in a forked child: if another thread forked, no thread of the
 * child is.  libthr sets _thr_initial only at its first start (thr_init.c), rthread marks the thread of the program's first
 * stack (rthread_np.c, TIB_THREAD_INITIAL_STACK), and Apple's libpthread compares with _main_thread_ptr (pthread.c).
 */
static pthread_t initial;

__attribute__((constructor(101))) static void begin(void)
{
	initial = pthread_self();
}

int pthread_main_np(void)
{
	return pthread_equal(pthread_self(), initial) != 0;
}

/* If the word has another value, both kernels return at once without an error: sys_ulock.c, kern_umtx.c. */
static int wait_for(void *word, uint32_t value)
{
	const int r = (int)syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);

	return r == -1 && errno == EAGAIN ? 0 : r;
}

#ifdef CPRNG_BSD_MACOS
/* Simulates another thread that runs in the meantime. */
void (*cprng_test_before_minherit)(void);

/* A child lacks the pages.  This shim refuses inheritances that the library does not use; macOS accepts them. */
int minherit(void *p, size_t len, int inherit)
{
	if (is("emulator"))
		return 0;
	if ((inherit != VM_INHERIT_SHARE && inherit != VM_INHERIT_NONE) || is("old")) {
		errno = EINVAL;
		return -1;
	}
	if (cprng_test_before_minherit != NULL)
		cprng_test_before_minherit();
	return madvise(p, len, inherit == VM_INHERIT_NONE ? MADV_DONTFORK : MADV_DOFORK);
}

int __ulock_wait(uint32_t operation, void *word, uint64_t value, uint32_t unused)
{
	(void)operation;
	(void)unused;
	return wait_for(word, (uint32_t)value);
}

/* As documented; according to <os/os_sync_wait_on_address.h>, the second function fails if no thread waits. */
int os_sync_wait_on_address(void *word, uint64_t value, size_t size, uint32_t flags)
{
	if (size != sizeof(uint32_t) || flags != 0) {
		errno = EINVAL;
		return -1;
	}
	return wait_for(word, (uint32_t)value);
}

int os_sync_wake_by_address_any(void *word, size_t size, uint32_t flags)
{
	if (size != sizeof(uint32_t) || flags != 0) {
		errno = EINVAL;
		return -1;
	}
	return __ulock_wake(1, word, 0);
}

/* An error if no thread waits (bsd/kern/sys_ulock.c). */
int __ulock_wake(uint32_t operation, void *word, uint64_t unused)
{
	(void)operation;
	(void)unused;
	if (syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) > 0)
		return 0;
	errno = ENOENT;
	return -1;
}

/* The features of an M1; macOS 11 ("old") does not know the name. */
int sysctlbyname(const char *name, void *old, size_t *old_len, void *new_value, size_t new_len)
{
	const int value = 1;

	errno = strcmp(name, "hw.optional.arm.FEAT_AES") != 0 || is("old") ? ENOENT :
		*old_len < sizeof(value)                                   ? ENOMEM :
									     0;
	if (errno != 0 || new_value != NULL || new_len != 0)
		return -1;
	memcpy(old, &value, sizeof(value));
	*old_len = sizeof(value);
	return 0;
}

#else
int minherit(void *p, size_t len, int inherit)
{
	if (is("emulator"))
		return 0;
	if (inherit < 0 || inherit > INHERIT_ZERO || (inherit == INHERIT_ZERO && is("old"))) {
		errno = EINVAL;
		return -1;
	}
	return madvise(p, len, inherit == INHERIT_ZERO ? MADV_WIPEONFORK : MADV_KEEPONFORK);
}

int _umtx_op(void *word, int op, unsigned long value, void *unused1, void *unused2)
{
	(void)unused1;
	(void)unused2;
	if (op == UMTX_OP_WAIT_UINT_PRIVATE)
		return wait_for(word, (uint32_t)value);
	/* The result is not the number of woken threads. */
	return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, (uint32_t)value, NULL, NULL, 0) < 0 ? -1 : 0;
}

/* Replaces the kernel's page; tests change the generation. */
struct {
	uint32_t version, generation;
	uint64_t reserved;
} cprng_test_fxrng = { 1, 0, 0 };

int elf_aux_info(int which, void *buf, int len)
{
	const void *page = &cprng_test_fxrng;
	const unsigned long words[] = { 8, 1ul << 16 }; /* HWCAP_AES, HWCAP2_RNG */

	if (len != (int)sizeof(words[0]))
		return EINVAL;
	if ((which == AT_HWCAP || which == AT_HWCAP2) && !is("old"))
		memcpy(buf, &words[which == AT_HWCAP2], sizeof(words[0]));
	else if (which == AT_FXRNG && !is("no-page"))
		memcpy(buf, &page, sizeof(page));
	else
		return ENOENT;
	return 0;
}
#endif
