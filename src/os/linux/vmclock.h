/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generation of the machine, in a device's page that is mapped and then read without a system call: /dev/vmclock0 (Linux 6.13
 * and later), which the hypervisor writes, and /dev/sysgenid, of a driver that is not in Linux, but in kernels for sandboxes.
 */
#ifndef CPRNG_OS_LINUX_VMCLOCK_H
#define CPRNG_OS_LINUX_VMCLOCK_H

#include "core/bytes.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * Map the page of /dev/vmclock0.  Returns its address, or NULL if there is none, it has an unknown version, or it cannot be
 * opened.  Opens and closes a file: not for a process that may be in a sandbox.
 */
const void *cprng_vmclock_map(void);

/* The same for /dev/sysgenid, whose page begins with a 32-bit counter (documentation of the driver, linux-kernel, 2021). */
const void *cprng_sysgenid_map(void);

/* Return the counter below, read while it was not being written. */
uint64_t cprng_vmclock_read(const void *page);

/* Offsets in the page, and the flag that is set if generations are counted. */
enum {
	CPRNG_VMCLOCK_DISRUPTIONS_AT = 16,
	CPRNG_VMCLOCK_FLAGS_AT = 24,
	CPRNG_VMCLOCK_GENERATION_AT = 104,
	CPRNG_VMCLOCK_FLAG_GENERATION = 1 << 8, /* VMCLOCK_FLAG_VM_GEN_COUNTER_PRESENT */
};

/* The page may be written at any time, so each member is loaded once, as a whole. */
CPRNG_INLINE uint64_t cprng_vmclock_load(const void *page, size_t at)
{
	const cprng_atomic64 *member = (const cprng_atomic64 *)(const void *)((const uint8_t *)page + at);

	return cprng_le64(__atomic_load_n(member, __ATOMIC_RELAXED));
}

/*
 * Return the counter of generations; without one, as in qemu 10, the counter of disruptions of the machine's clock.  Each restore
 * from a file is a disruption.  (So is a move to another host, which is harmless.)
 */
CPRNG_INLINE uint64_t cprng_vmclock_count(const void *page)
{
	return cprng_vmclock_load(page, (cprng_vmclock_load(page, CPRNG_VMCLOCK_FLAGS_AT) &
					 CPRNG_VMCLOCK_FLAG_GENERATION) != 0 ?
						CPRNG_VMCLOCK_GENERATION_AT :
						CPRNG_VMCLOCK_DISRUPTIONS_AT);
}

CPRNG_END_DECLARATIONS
#endif
