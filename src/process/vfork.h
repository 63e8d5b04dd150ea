/* SPDX-License-Identifier: BSD-2-Clause */
/* Children that share the memory of their parent (vfork(2)). */
#ifndef CPRNG_PROCESS_VFORK_H
#define CPRNG_PROCESS_VFORK_H

#include "process/state.h"

CPRNG_BEGIN_DECLARATIONS

/*
 * Disable the CPUs' buffers.  The caller is a child that shares its parent's memory, and the kernel does not watch the
 * restartable sequences of such a child: all draws of this memory are made from the kernel's bytes until the child is gone.
 */
void cprng_vfork_disable_buffers(struct cprng_process *p);

/* Enable them again if all such children are gone: for the slow path of a draw, while cprng_buffers_disabled(). */
void cprng_vfork_enable_buffers(struct cprng_process *p);

CPRNG_END_DECLARATIONS

#endif
