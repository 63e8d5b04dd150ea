/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory, threads, file locks and announcements of clones of os.h, built on the calls in sys.c and announcements.c.  Those
 * are separate files because the tests replace them at link time.
 */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/announcements.h"
#include "os/linux/sys.h"
#include "os/os.h"

#include <sys/file.h>
#include <sys/mman.h>

#ifndef MADV_WIPEONFORK /* Linux 4.14; missing from older C library headers */
#define MADV_WIPEONFORK 18
#endif

/* An unused number: a kernel that accepts it accepts any advice, and wipes nothing (qemu-user 7.2). */
#define NO_ADVICE (-1)

/*
 * The smallest huge page of any architecture.  Before Linux 6.8 no smaller range got a huge page, and since 6.7 MAP_STACK at the
 * mapping has the effect of MADV_NOHUGEPAGE.
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

const char cprng_os_fork_guard[] = "wipe-on-fork";

bool cprng_os_wipe_on_fork(void *p, size_t len)
{
	if (cprng_sys_madvise(p, len, NO_ADVICE) == 0 || cprng_sys_madvise(p, len, MADV_WIPEONFORK) != 0)
		return false;
	/* Best effort: no promise depends on it, and old emulators refuse it. */
	(void)cprng_sys_madvise(p, len, MADV_DONTDUMP);
	return true;
}

void cprng_os_use_small_pages(void *p, size_t len)
{
	/* A kernel without huge pages refuses this. */
	if (len >= HUGE_PAGE_MIN)
		(void)cprng_sys_madvise(p, len, MADV_NOHUGEPAGE);
}

bool cprng_os_lock_memory(void *p, size_t len)
{
	const size_t page = cprng_os_page_size();
	const uintptr_t begin = (uintptr_t)p / page * page, end = ((uintptr_t)p + len + page - 1) / page * page;

	return cprng_sys_mlock((void *)begin, end - begin) == 0;
}

/* The address of errno, which is unique to each thread. */
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
 * From the size of the kernel's CPU masks, which covers all possible CPUs, holes and hot-plugged ones included.  This needs no
 * access to /sys or /proc.
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

static const struct cprng_os_announcements *the_announcements;

static void unmap_announcement(const void *page)
{
	if (page != NULL)
		(void)cprng_sys_munmap((void *)(uintptr_t)page, cprng_os_page_size());
}

/* Concurrent threads all map the pages, and the first one to finish publishes its mappings. */
CPRNG_COLD static const struct cprng_os_announcements *find_announcements(void)
{
	/* Used by the first thread; other threads, and a child forked meanwhile, map separate memory. */
	static struct cprng_os_announcements first;
	static uint32_t first_is_taken;
	static const struct cprng_os_announcements nothing = { .file_state = "refused: no memory" };
	const struct cprng_os_announcements *published = NULL;
	struct cprng_os_announcements *found = &first;

	if (__atomic_exchange_n(&first_is_taken, 1, __ATOMIC_RELAXED) != 0) {
		found = cprng_os_map(sizeof(*found));
		if (found == NULL)
			return &nothing;
	}
	cprng_announcements_find(found);
	if (__atomic_compare_exchange_n(&the_announcements, &published, found, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return found;
	unmap_announcement(found->vmclock);
	unmap_announcement(found->sysgenid);
	unmap_announcement(found->file);
	if (found != &first)
		cprng_os_unmap(found, sizeof(*found));
	return published;
}

static const struct cprng_os_announcements *announcements(void)
{
	const struct cprng_os_announcements *a = __atomic_load_n(&the_announcements, __ATOMIC_ACQUIRE);

	return a != NULL ? a : find_announcements();
}

const bool cprng_os_vm_shows_reseeds = false;

const struct cprng_os_announcements *cprng_os_find_announcements(void)
{
	const struct cprng_os_announcements *a = announcements();

	return a->vmclock != NULL || a->sysgenid != NULL || a->file != NULL ? a : NULL;
}

/* Combine the counts.  Each is multiplied by an odd number, so a change of any one page changes the sum. */
static uint64_t together(const struct cprng_os_announcements *a, uint64_t vmclock)
{
	if (a->sysgenid != NULL)
		vmclock +=
			__atomic_load_n((const uint32_t *)a->sysgenid, __ATOMIC_RELAXED) * UINT64_C(0x9e3779b97f4a7c15);
	if (a->file != NULL)
		vmclock += cprng_generation_file_count(a->file) * UINT64_C(0xc2b2ae3d27d4eb4f);
	/*
	 * Counts begin at 0 (Firecracker), and here 0 means that there is none.  So all are shifted up by one, and the last one,
	 * for which no number is left, to a value far from its neighbours.
	 */
	return vmclock != ~(uint64_t)0 ? vmclock + 1 : (uint64_t)1 << 63;
}

uint64_t cprng_os_vm_generation(const struct cprng_os_announcements *a)
{
	return a == NULL ? 0 : together(a, a->vmclock != NULL ? cprng_vmclock_read(a->vmclock) : 0);
}

bool cprng_os_vm_shows(const struct cprng_os_announcements *a, uint64_t generation)
{
	return together(a, a->vmclock != NULL ? cprng_vmclock_count(a->vmclock) : 0) == generation;
}

struct cprng_os_announced cprng_os_announced(void)
{
	static const char *const pages[] = {
		"none",
		"vmclock",
		"sysgenid",
		"vmclock sysgenid",
		"generation-file",
		"vmclock generation-file",
		"sysgenid generation-file",
		"vmclock sysgenid generation-file",
	};
	const struct cprng_os_announcements *a = announcements();

	return (struct cprng_os_announced){
		pages[(a->vmclock != NULL) | (a->sysgenid != NULL) << 1 | (a->file != NULL) << 2],
		a->file_name,
		a->file_state,
	};
}

__attribute__((constructor)) static void find_at_load(void)
{
	(void)announcements();
}

#endif
