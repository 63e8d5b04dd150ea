/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FreeBSD's calls by Linux's: minherit(2), _umtx_op(2), pthread_main_np(3), elf_aux_info(3).  CPRNG_TEST_BSD in the environment
 * has them fail as they can: "old" (no INHERIT_ZERO, FreeBSD 11), "emulator" (each inheritance is accepted, and none has an
 * effect), "no-page" (no fxrng page, FreeBSD 12).
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pthread_np.h>
#include <sys/umtx.h>

static bool is(const char *mode)
{
	const char *set = getenv("CPRNG_TEST_BSD");

	return set != NULL && strcmp(set, mode) == 0;
}

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
	return (int)syscall(SYS_futex, word, op == UMTX_OP_WAKE_PRIVATE ? FUTEX_WAKE_PRIVATE : FUTEX_WAIT_PRIVATE,
			    (uint32_t)value, NULL, NULL, 0);
}

int pthread_main_np(void)
{
	return syscall(SYS_gettid) == getpid();
}

/* The kernel's page: a test moves the generation. */
struct {
	uint32_t version, generation;
	uint64_t reserved;
} cprng_test_fxrng = { 1, 0, 0 };

int elf_aux_info(int which, void *buf, int len)
{
	const void *page = &cprng_test_fxrng;

	if (which != AT_FXRNG || len != (int)sizeof(page))
		return EINVAL;
	if (is("no-page"))
		return ENOENT;
	memcpy(buf, &page, sizeof(page));
	return 0;
}
