/* SPDX-License-Identifier: BSD-2-Clause */
#if defined(__linux__) && !defined(CPRNG_POSIX)

#include "os/linux/vmclock.h"

#include "os/linux/sys.h"
#include "os/os.h"

#include <fcntl.h>
#include <sys/stat.h>

/*
 * struct vmclock_abi of Linux's include/uapi/linux/vmclock-abi.h, version 1: little-endian on every architecture.  The
 * driver (drivers/ptp/ptp_vmclock.c) maps exactly one page of the kernel's, read-only.
 */
enum {
	MAGIC_AT = 0,
	SIZE_AT = 4,
	VERSION_AT = 8, /* 16 bits */
	SEQUENCE_AT = 12,
	SIZE_MIN = CPRNG_VMCLOCK_GENERATION_AT + 8,

	MAGIC = 0x4b4c4356, /* "VCLK" */
	VERSION = 1,
};

/* A hypervisor writes the page in less than a microsecond, and makes clones while the machine is stopped. */
enum { READS_MAX = 1000 };

static uint32_t load32(const void *page, size_t at)
{
	return cprng_le32(__atomic_load_n((const uint32_t *)((const uint8_t *)page + at), __ATOMIC_RELAXED));
}

static bool is_known(const void *page)
{
	return load32(page, MAGIC_AT) == MAGIC && load32(page, SIZE_AT) >= SIZE_MIN &&
	       (load32(page, VERSION_AT) & 0xffff) == VERSION;
}

static const void *map_device(const char *name)
{
	const size_t len = cprng_os_page_size();
	long fd = cprng_sys_openat(AT_FDCWD, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	struct stat status;
	long page;

	if (fd < 0)
		return NULL;
	/* A regular file in its place, in a container's /dev, may be shorter than a page; then loads fault. */
	if (cprng_sys_fstat((int)fd, &status) != 0 || !S_ISCHR(status.st_mode)) {
		(void)cprng_sys_close((int)fd);
		return NULL;
	}
	page = cprng_sys_map_file((int)fd, len);
	(void)cprng_sys_close((int)fd);
	return cprng_sys_is_error(page) ? NULL : (const void *)page;
}

const void *cprng_vmclock_map(void)
{
	const void *page = map_device("/dev/vmclock0");

	if (page != NULL && !is_known(page)) {
		(void)cprng_sys_munmap((void *)(uintptr_t)page, cprng_os_page_size());
		return NULL;
	}
	return page;
}

const void *cprng_sysgenid_map(void)
{
	return map_device("/dev/sysgenid");
}

uint64_t cprng_vmclock_read(const void *page)
{
	uint64_t count = 0;

	for (int i = 0; i < READS_MAX; i++) {
		const uint32_t before = load32(page, SEQUENCE_AT);

		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		count = cprng_vmclock_count(page);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if ((before & 1) == 0 && load32(page, SEQUENCE_AT) == before)
			break;
	}
	/* If every try met a write, use the last value: the page did contain it, and a later call sees the next one. */
	return count;
}

#endif
