/* SPDX-License-Identifier: BSD-2-Clause */
/* FreeBSD: waits with _umtx_op(2), and the page in which the kernel counts the reseeds of its generator (kern.fxrng). */
#include "os/unix/bsd.h"
#ifdef CPRNG_BSD_FREEBSD

#include "os/os.h"
#include "os/unix/calls.h"

#include <sys/types.h>

#include <sys/auxv.h>
#include <sys/umtx.h>

void cprng_os_wait(uint32_t *word, uint32_t value)
{
	(void)CPRNG_QUIET(_umtx_op(word, UMTX_OP_WAIT_UINT_PRIVATE, value, NULL, NULL));
}

void cprng_os_wake(uint32_t *word)
{
	(void)CPRNG_QUIET(_umtx_op(word, UMTX_OP_WAKE_PRIVATE, 1, NULL, NULL));
}

/*
 * The root seed generation of fxrng(9), FreeBSD 13: struct vdso_fxrng_generation_1 of <sys/vdso.h>.  It changes at each reseed of
 * the kernel's generator, including the reseed after the hypervisor has announced a clone of the machine (vmgenid).  So the
 * library also invalidates when there was no clone, as arc4random(3) does on FreeBSD.
 */
struct cprng_os_announcements {
	uint32_t version;
	uint32_t generation;
	uint64_t reserved;
};

enum { FXRNG_VERSION = 1 };

const bool cprng_os_vm_shows_reseeds = true;

const struct cprng_os_announcements *cprng_os_find_announcements(void)
{
	const struct cprng_os_announcements *page = NULL;

#ifdef AT_FXRNG
	if (elf_aux_info(AT_FXRNG, &page, sizeof(page)) != 0 || page == NULL || page->version != FXRNG_VERSION)
		return NULL;
#endif
	return page;
}

/* 0 means that there is no generation, so all are shifted up by one. */
uint64_t cprng_os_vm_generation(const struct cprng_os_announcements *a)
{
	return a == NULL ? 0 : (uint64_t)__atomic_load_n(&a->generation, __ATOMIC_ACQUIRE) + 1;
}

bool cprng_os_vm_shows(const struct cprng_os_announcements *a, uint64_t generation)
{
	return cprng_os_vm_generation(a) == generation;
}

struct cprng_os_announced cprng_os_announced(void)
{
	return (struct cprng_os_announced){ cprng_os_find_announcements() != NULL ? "fxrng" : "none", "", "none" };
}

#endif
