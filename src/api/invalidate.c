/* SPDX-License-Identifier: BSD-2-Clause */
#include <cprng/cprng.h>

#include "core/wipe.h"
#include "process/generation.h"
#include "process/process.h"
#include "process/vfork.h"
#include "process/vm_clone.h"

void cprng_invalidate(void)
{
	struct cprng_process *p = cprng_process();

	cprng_generation_restore_wiping(p);
	cprng_generation_invalidate(p);
}

const uint64_t *cprng_generation_number(void)
{
	struct cprng_process *p = cprng_process();

	if (!cprng_has_buffers(p))
		return NULL;
	(void)cprng_vm_clone_check(p); /* otherwise the number changes soon */
	return &p->fork_state->generation;
}

void cprng_vfork_child(void)
{
	cprng_vfork_disable_buffers(cprng_process());
}

int cprng_reseed(void)
{
	struct cprng_process *p = cprng_process();
	uint8_t probe[32];
	long r = cprng_os_entropy(probe, sizeof(probe));

	cprng_wipe(probe, sizeof(probe));
	if (r != 0)
		return CPRNG_ERR_ENTROPY;
	cprng_generation_restore_wiping(p);
	/* Buffers without keys are keyed by the kernel at their next refill. */
	cprng_generation_invalidate(p);
	return CPRNG_OK;
}
