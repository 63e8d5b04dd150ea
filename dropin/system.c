/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Replacements for functions in os.h and process/generation.h (-Wl,--wrap), for this copy of the library: the program
 * around it does not know the library, so this copy avoids calls that the program may forbid.
 */
#include <stdbool.h>
#include <stddef.h>

bool __wrap_cprng_os_restartable_sequences(ptrdiff_t *offset);
bool __wrap_cprng_os_lock_memory(void *p, size_t len);

struct cprng_process;
void __wrap_cprng_generation_restore_wiping(const struct cprng_process *p);

/*
 * No per-CPU buffers.  In a child of vfork(2) or of clone(2) with CLONE_VM the kernel disables restartable sequences,
 * and the child would have to call cprng_vfork_child() before its first draw.  Slots are claimed by an atomic exchange,
 * which is safe in any shared memory (docs/decisions/0009-vfork.md).
 */
bool __wrap_cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

/*
 * No mlock2(2), which the library calls when a thread first uses a buffer and after a fork: a program in a sandbox
 * allows getrandom(2) there, and another call may kill it.
 */
bool __wrap_cprng_os_lock_memory(void *p, size_t len)
{
	(void)p;
	(void)len;
	return false;
}

/*
 * No madvise(2) at a reseed, which such a program may cause in its sandbox (RAND_add(3)).  The cost: in a process
 * restored from a checkpoint, fork no longer wipes the pages (docs/openssl.md).
 */
void __wrap_cprng_generation_restore_wiping(const struct cprng_process *p)
{
	(void)p;
}
