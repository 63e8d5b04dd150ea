/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this copy of the library does without, because the program around it knows nothing of the library.  The linker puts
 * these functions in the places of those in os.h and process/generation.h (-Wl,--wrap).
 */
#include <stdbool.h>
#include <stddef.h>

bool __wrap_cprng_os_restartable_sequences(ptrdiff_t *offset);
bool __wrap_cprng_os_lock_memory(void *p, size_t len);

struct cprng_process;
void __wrap_cprng_generation_restore_wiping(const struct cprng_process *p);

/*
 * No per-CPU buffers.  The kernel takes restartable sequences away from a child of vfork(2) or of clone(2) with CLONE_VM,
 * which would have to call cprng_vfork_child() before its first draw.  Slots are claimed by an atomic exchange, and sound in
 * any memory that is shared (docs/decisions/0009-vfork.md).
 */
bool __wrap_cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

/*
 * No mlock2(2), which the library calls when a thread uses a buffer for the first time, and after a fork: a program that
 * puts itself or its child into a sandbox allows getrandom(2) there, and may be killed for another call.
 */
bool __wrap_cprng_os_lock_memory(void *p, size_t len)
{
	(void)p;
	(void)len;
	return false;
}

/*
 * No madvise(2) at a reseed, for such a program again, which may reseed in its sandbox (RAND_add(3)).  The cost: a process
 * that was restored from a checkpoint does not have its pages wiped on a fork again (docs/dropins/openssl.md).
 */
void __wrap_cprng_generation_restore_wiping(const struct cprng_process *p)
{
	(void)p;
}
