/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * getrandom in the vDSO (Linux 6.11 and later; include/uapi/linux/random.h, Documentation of vgetrandom in
 * lib/vdso/getrandom.c): the kernel's generator run in user memory, with the kernel's own reseed and VM-clone
 * generation.
 */
#ifndef CPRNG_OS_LINUX_VDSO_H
#define CPRNG_OS_LINUX_VDSO_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

typedef long (*cprng_vgetrandom)(void *buf, size_t len, unsigned int flags, void *state, size_t state_size);

/* The function's address in this process, or NULL where the kernel or the architecture has none. */
cprng_vgetrandom cprng_vdso_getrandom(void);

/* The same for an image at this address.  If it is damaged: NULL, or an address within it. */
cprng_vgetrandom cprng_vdso_getrandom_of(const void *base);

/* The function's requirements for its states (struct vgetrandom_opaque_params). */
struct cprng_vgetrandom_params {
	uint32_t state_size; /* bytes; a state may not straddle a page */
	uint32_t mmap_prot;
	uint32_t mmap_flags;
	uint32_t reserved[13];
};

/* Get the requirements; false if the function refuses. */
bool cprng_vdso_getrandom_params(cprng_vgetrandom f, struct cprng_vgetrandom_params *params);

CPRNG_END_DECLARATIONS

#endif
