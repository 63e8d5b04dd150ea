/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of restartable sequences (sequences.c) that depend on the C library: sequences_glibc.c, sequences_other.c. */
#ifndef CPRNG_OS_LINUX_SEQUENCES_H
#define CPRNG_OS_LINUX_SEQUENCES_H

/* CPUs whose thread pointer all compilers support, with thread-local memory that the dynamic linker supports. */
#if defined(__linux__) && !defined(CPRNG_POSIX) && (defined(__x86_64__) || defined(__aarch64__)) && \
	defined(__LP64__) && !defined(__BIONIC__)
#define CPRNG_SEQUENCES

#include "os/os.h"
#include "os/own_area.h"

CPRNG_BEGIN_DECLARATIONS

enum { CPRNG_RSEQ_REGISTER = 0, CPRNG_RSEQ_UNREGISTER = 1 };

CPRNG_INLINE void cprng_sequences_set_state(uint32_t state)
{
	__atomic_store_n(&cprng_os_own.state, state, __ATOMIC_RELAXED);
}

CPRNG_INLINE uint32_t cprng_sequences_state_now(void)
{
	return __atomic_load_n(&cprng_os_own.state, __ATOMIC_RELAXED);
}

CPRNG_INLINE const struct cprng_os_area *cprng_sequences_area_at(ptrdiff_t offset)
{
	if (offset == CPRNG_OS_OWN_AREAS)
		return cprng_os_own_area();
	return (const void *)((const char *)__builtin_thread_pointer() + offset);
}

/* Return true if threads may register areas in this object.  Called when the library is loaded, or earlier. */
bool cprng_sequences_has_means(void);

/* Arrange for the calling thread's area to be unregistered when the thread ends, where necessary.  Return false on failure. */
bool cprng_sequences_prepare_for_end(void);

/* Return true if the calling thread may be past its destructors.  Signals are blocked. */
bool cprng_sequences_is_ending(void);

/* Return true if the C library registers each thread. */
bool cprng_sequences_libc_registers(void);

/* Return true if the C library has registered the calling thread, and set *offset. */
bool cprng_sequences_registered_by_libc(ptrdiff_t *offset);

CPRNG_END_DECLARATIONS

#endif
#endif
