/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The virtual machine underneath: is it still the one that it was at the last look?  Where the hypervisor shows a
 * generation (vmclock.h), a clone is noticed at the next refill, long request or read from Fortuna.
 */
#ifndef CPRNG_PROCESS_VM_CLONE_H
#define CPRNG_PROCESS_VM_CLONE_H

#include "process/state.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What cprng_vm_clone_check() does when the generation is not the one that was seen last. */
void cprng_vm_clone_detected(struct cprng_process *p);

/*
 * Invalidate everything if the machine was cloned since the last look.  Not with a lock held.  A load and a comparison
 * where there is no page; two more loads where there is.
 */
CPRNG_INLINE void cprng_vm_clone_check(struct cprng_process *p)
{
	const void *page = p->vm_page;

	if (CPRNG_LIKELY(page == NULL))
		return;
	if (CPRNG_UNLIKELY(!cprng_os_vm_shows(page, __atomic_load_n(&p->fork_state->vm_generation, __ATOMIC_ACQUIRE))))
		cprng_vm_clone_detected(p);
}

/*
 * Make the kernel's bytes in key differ from those of another clone, if there is a page to tell of one.  User space may be told of it
 * before the kernel is, whose generator gives the same to both until then.
 */
void cprng_vm_clone_diverge(const struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE]);

#ifdef __cplusplus
}
#endif
#endif
