/* SPDX-License-Identifier: BSD-2-Clause */
#include "linux/pages.h"

#include "linux/sys.h"

#include <sys/mman.h>

#ifndef MADV_WIPEONFORK /* Linux 4.14; missing from older C library headers */
#define MADV_WIPEONFORK 18
#endif

/* No advice has this number: whoever accepts it accepts anything, and wipes nothing (qemu-user 7.2). */
#define NO_ADVICE (-1)

void *cprng_pages_map(size_t len)
{
	long p = cprng_sys_mmap(len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE);

	return p < 0 && p > -4096 ? NULL : (void *)p;
}

bool cprng_pages_make_secret(void *p, size_t len)
{
	if (cprng_sys_madvise(p, len, NO_ADVICE) == 0 || cprng_sys_madvise(p, len, MADV_WIPEONFORK) != 0)
		return false;
	/* Not a promise that anything else rests on, and old emulators refuse it. */
	(void)cprng_sys_madvise(p, len, MADV_DONTDUMP);
	return true;
}

void cprng_pages_keep_small(void *p, size_t len)
{
	/* Refused where the kernel has no huge pages. */
	(void)cprng_sys_madvise(p, len, MADV_NOHUGEPAGE);
}

bool cprng_pages_lock(void *p, size_t len)
{
	const size_t page = cprng_sys_page_size();
	const uintptr_t begin = (uintptr_t)p / page * page, end = ((uintptr_t)p + len + page - 1) / page * page;

	return cprng_sys_mlock((void *)begin, end - begin) == 0;
}

void cprng_pages_unmap(void *p, size_t len)
{
	(void)cprng_sys_munmap(p, len);
}
