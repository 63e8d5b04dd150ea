/* SPDX-License-Identifier: BSD-2-Clause */
#include "os/linux/sys.h"
#include "os/linux/vmclock.h"
#include "os/os.h"

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
