/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The generation of the virtual machine, where the hypervisor shows it to user space: /dev/vmclock0 (Linux 6.13 and
 * later), a page that is mapped and then read without a system call.
 */
#ifndef CPRNG_LINUX_VMCLOCK_H
#define CPRNG_LINUX_VMCLOCK_H

#include "core/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Map the page: the address, or NULL when there is none, it does not count generations, or it cannot be opened.  Opens
 * and closes a file: not for a process that may be in a sandbox.
 */
const void *cprng_vmclock_map(void);

/* The generation, never 0; page may be NULL, which gives 0. */
uint64_t cprng_vmclock_generation(const void *page);

#ifdef __cplusplus
}
#endif
#endif
