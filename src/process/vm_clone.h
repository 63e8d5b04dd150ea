/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Clones of the virtual machine.  Where the hypervisor shows a generation (os.h), a process detects the clone at its next
 * refill, long request or read from Fortuna.
 */
#ifndef CPRNG_PROCESS_VM_CLONE_H
#define CPRNG_PROCESS_VM_CLONE_H

#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

/* For cprng_vm_clone_check(): the page shows another generation than was seen. */
bool cprng_vm_clone_detected(struct cprng_process *p);

/* For cprng_vm_clone_note(): no generation was seen. */
void cprng_vm_clone_begin(struct cprng_process *p);

/*
 * Invalidate everything if the machine was cloned since the last check.  Returns false in a handler that has interrupted an
 * invalidation of its own thread: what is buffered may be another clone's too.  The caller holds no other lock.  Costs a load
 * and a comparison where there is no page, and a call with two more loads where there is one.
 */
CPRNG_INLINE bool cprng_vm_clone_check(struct cprng_process *p)
{
	const struct cprng_os_announcements *page = p->announcements;

	if (CPRNG_LIKELY(page == NULL))
		return true;
	if (CPRNG_LIKELY(cprng_os_vm_shows(page, __atomic_load_n(&p->fork_state->vm_generation, __ATOMIC_ACQUIRE))))
		return true;
	return cprng_vm_clone_detected(p);
}

/*
 * Record a generation before the process first keeps data that another clone must not have.  Takes no lock, and invalidates
 * nothing: for code that must not wait.  Afterwards a check detects each later clone.
 */
CPRNG_INLINE void cprng_vm_clone_note(struct cprng_process *p)
{
	if (CPRNG_UNLIKELY(p->announcements != NULL &&
			   __atomic_load_n(&p->fork_state->vm_generation, __ATOMIC_ACQUIRE) == 0))
		cprng_vm_clone_begin(p);
}

/*
 * Make `key`, bytes of the kernel, diverge from another clone's key, if there is a page.  User space may see the clone before the
 * kernel does, whose generator gives both clones equal bytes until then.
 */
void cprng_vm_clone_diverge(const struct cprng_process *p, uint8_t key[CPRNG_KEY_SIZE]);

/*
 * Return a number in which unannounced copies of the process or machine almost always differ: the CPU's random number instruction
 * and its counter.  For places where any number is harmless; 0 if the CPU has neither.
 */
uint64_t cprng_copy_number(void);

CPRNG_END_DECLARATIONS
#endif
