/* SPDX-License-Identifier: BSD-2-Clause */
/* Restartable sequences with glibc, which registers each thread from 2.35 on. */
#include "os/linux/sequences.h"
#if defined(CPRNG_SEQUENCES) && defined(__GLIBC__)

#include <link.h>

extern ElfW(Dyn) _DYNAMIC[] __attribute__((weak, visibility("hidden")));

/*
 * Return true in a program (static, or with DT_DEBUG), and in a shared object that is marked as never unloaded.  The kernel would
 * continue to write to the areas of a plugin that has been unloaded.
 */
bool cprng_sequences_has_means(void)
{
	if (_DYNAMIC == NULL)
		return true;
	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_DEBUG ||
		    (entry->d_tag == DT_FLAGS_1 && (entry->d_un.d_val & DF_1_NODELETE) != 0))
			return true;
	}
	return false;
}

/* glibc reuses a thread's memory only after the kernel has seen the thread end, so no area needs to be unregistered. */
bool cprng_sequences_prepare_for_end(void)
{
	return true;
}

bool cprng_sequences_is_ending(void)
{
	return false;
}

extern const ptrdiff_t libc_offset __asm__("__rseq_offset") __attribute__((weak));
extern const unsigned int libc_size __asm__("__rseq_size") __attribute__((weak));

/* The size is 0 if glibc has not registered the thread (tunable, valgrind, old kernel); the area's content is then undefined. */
bool cprng_sequences_libc_registers(void)
{
	return &libc_offset != NULL && &libc_size != NULL && libc_size != 0;
}

bool cprng_sequences_registered_by_libc(ptrdiff_t *offset)
{
	if ((int32_t)__atomic_load_n(&cprng_sequences_area_at(libc_offset)->cpu_id, __ATOMIC_RELAXED) < 0)
		return false;
	*offset = libc_offset;
	return true;
}

#endif
