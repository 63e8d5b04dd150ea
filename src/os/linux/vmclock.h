/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generation of the virtual machine, where the hypervisor shows it to user space: /dev/vmclock0 (Linux 6.13 and
 * later), a page that is mapped and then read without a system call.
 */
#ifndef CPRNG_OS_LINUX_VMCLOCK_H
#define CPRNG_OS_LINUX_VMCLOCK_H

#include "core/bytes.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * Map the page: the address, or NULL when there is none, it is of an unknown version, or it cannot be opened.  Opens
 * and closes a file: not for a process that may be in a sandbox.
 */
const void *cprng_vmclock_map(void);

/* Return the generation.  It is not 0, except that a NULL page gives 0. */
uint64_t cprng_os_vm_generation(const void *page);

/* Bytes from the start of the page, and the flag that is set when generations are counted. */
enum {
	CPRNG_VMCLOCK_DISRUPTIONS_AT = 16,
	CPRNG_VMCLOCK_FLAGS_AT = 24,
	CPRNG_VMCLOCK_GENERATION_AT = 104,
	CPRNG_VMCLOCK_FLAG_GENERATION = 1 << 8, /* VMCLOCK_FLAG_VM_GEN_COUNTER_PRESENT */
};

/* Others write the page, so each member is loaded once, and whole. */
CPRNG_INLINE uint64_t cprng_vmclock_load(const void *page, size_t at)
{
	const uint64_t *member = (const uint64_t *)(const void *)((const uint8_t *)page + at);

	return cprng_le64(__atomic_load_n(member, __ATOMIC_RELAXED));
}

/*
 * The counter: of generations; or else, as in qemu 10, of disruptions of the machine's clock.  Each restore from a file is
 * one.  (So is a move to another host, which is harmless.)
 */
CPRNG_INLINE uint64_t cprng_vmclock_count(const void *page)
{
	return cprng_vmclock_load(page, (cprng_vmclock_load(page, CPRNG_VMCLOCK_FLAGS_AT) &
					 CPRNG_VMCLOCK_FLAG_GENERATION) != 0 ?
						CPRNG_VMCLOCK_GENERATION_AT :
						CPRNG_VMCLOCK_DISRUPTIONS_AT);
}

/*
 * Does the page show `generation`, from the function above?  Sometimes false although it does: a generation that is being
 * written counts as another one.
 */
CPRNG_INLINE bool cprng_vmclock_shows(const void *page, uint64_t generation)
{
	return cprng_vmclock_count(page) + 1 == generation;
}

CPRNG_END_DECLARATIONS
#endif
