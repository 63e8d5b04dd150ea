/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What os.h has of memory, threads, file locks, and the page of the virtual machine, made of the calls in sys.c and
 * vmclock.c.  Those lie in other files because the tests replace them at link time.
 */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/sys.h"
#include "os/linux/vmclock.h"
#include "os/os.h"

#include <sys/file.h>
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

/* The address of errno, which each thread has for itself. */
uintptr_t cprng_os_this_thread(void)
{
	return (uintptr_t)&errno;
}

bool cprng_os_is_first_thread(void)
{
	return cprng_sys_gettid() == cprng_os_process_id();
}

long cprng_os_get_exit_word(uint32_t **word)
{
	*word = NULL;
	return cprng_sys_tid_address(word);
}

long cprng_os_set_exit_word(uint32_t *word)
{
	return cprng_sys_set_tid_address(word);
}

/*
 * The kernel gives the size of its CPU masks, which covers all possible CPUs, holes and hot-plugged ones included, without
 * a look into /sys or /proc.
 */
uint32_t cprng_os_cpu_limit(void)
{
	const long size = cprng_sys_cpu_mask_size();

	return size <= 0 ? 0 : size > (long)(UINT32_MAX / 8) ? UINT32_MAX : (uint32_t)size * 8;
}

long cprng_os_try_lock_file(int fd)
{
	long r;

	do
		r = cprng_sys_flock(fd, LOCK_EX | LOCK_NB);
	while (r == -EINTR);
	return r;
}

void cprng_os_unlock_file(int fd)
{
	(void)cprng_sys_flock(fd, LOCK_UN);
}

static const void *the_page;
static uint32_t sought;

const void *cprng_os_vm_page(void)
{
	const void *page, *none = NULL;

	if (__atomic_load_n(&sought, __ATOMIC_ACQUIRE) == 0) {
		/*
		 * Threads that are here at once all map it.  It is marked as sought when it is in place: a fork may come in
		 * between.
		 */
		page = cprng_vmclock_map();
		if (page != NULL &&
		    !__atomic_compare_exchange_n(&the_page, &none, page, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			(void)cprng_sys_munmap((void *)(uintptr_t)page, cprng_os_page_size());
		__atomic_store_n(&sought, 1, __ATOMIC_RELEASE);
	}
	return __atomic_load_n(&the_page, __ATOMIC_ACQUIRE);
}

__attribute__((constructor)) static void seek_at_load(void)
{
	(void)cprng_os_vm_page();
}

#endif
