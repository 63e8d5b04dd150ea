/* SPDX-License-Identifier: BSD-2-Clause */
#include "os/linux/sys.h"
#include "os/os.h"

#include <sys/mman.h>

#ifndef MADV_WIPEONFORK /* Linux 4.14; missing from older C library headers */
#define MADV_WIPEONFORK 18
#endif

/* No advice has this number: a kernel that accepts it accepts any, and wipes nothing (qemu-user 7.2). */
#define NO_ADVICE (-1)

/*
 * The smallest huge page of any architecture: no smaller range was given one before Linux 6.8, and since 6.7 MAP_STACK at
 * the mapping is what MADV_NOHUGEPAGE is.
 */
#ifdef __s390x__
#define HUGE_PAGE_MIN ((size_t)1 << 20)
#else
#define HUGE_PAGE_MIN ((size_t)2 << 20)
#endif

void *cprng_os_map(size_t len)
{
	long p = cprng_sys_mmap(len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE | MAP_STACK);

	return cprng_sys_is_error(p) ? NULL : (void *)p;
}

void cprng_os_unmap(void *p, size_t len)
{
	(void)cprng_sys_munmap(p, len);
}

bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	if (cprng_sys_madvise(p, len, NO_ADVICE) == 0 || cprng_sys_madvise(p, len, MADV_WIPEONFORK) != 0)
		return false;
	/* Nothing else rests on this, and old emulators refuse it. */
	(void)cprng_sys_madvise(p, len, MADV_DONTDUMP);
	return true;
}

void cprng_os_use_small_pages(void *p, size_t len)
{
	/* Refused where the kernel has no huge pages. */
	if (len >= HUGE_PAGE_MIN)
		(void)cprng_sys_madvise(p, len, MADV_NOHUGEPAGE);
}

bool cprng_os_lock_memory(void *p, size_t len)
{
	const size_t page = cprng_os_page_size();
	const uintptr_t begin = (uintptr_t)p / page * page, end = ((uintptr_t)p + len + page - 1) / page * page;

	return cprng_sys_mlock((void *)begin, end - begin) == 0;
}
