/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtual machine underneath: is it still the one that it was at the last look?  Where the hypervisor shows a
 * generation (vmclock.h), a clone is noticed at the next refill, long request or read from Fortuna.
 */
#ifndef CPRNG_LINUX_MACHINE_H
#define CPRNG_LINUX_MACHINE_H

#include "linux/placement.h"
#include "linux/process.h"
#include "linux/vmclock.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The page with the generation, or NULL.  It is sought once: when the program, or the shared object that has the
 * library in it, is loaded.  Files are opened then anyway, and the program has not put itself into a sandbox yet.  (Only
 * a draw in somebody else's constructor can come before.)
 */
const void *cprng_machine_page(void);

/* What cprng_machine_look() does when the generation is not the one that was seen last. */
void cprng_machine_changed(struct cprng_process *p);

/*
 * Invalidate everything if the machine was cloned since the last look.  Not with a lock held.  A load and a comparison
 * where there is no page; two more loads where there is.
 */
CPRNG_INLINE void cprng_machine_look(struct cprng_process *p)
{
	const void *page = p->vmclock;

	if (CPRNG_LIKELY(page == NULL))
		return;
	if (CPRNG_UNLIKELY(!cprng_vmclock_shows(page, __atomic_load_n(&p->wiped->vm_generation, __ATOMIC_ACQUIRE))))
		cprng_machine_changed(p);
}

/*
 * Make the kernel's bytes in key differ from those of another clone, if there is a page to tell of one.  User space may be told of it
 * before the kernel is, whose generator gives the same to both until then.
 */
void cprng_machine_part(const struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
