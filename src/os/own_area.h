/* SPDX-License-Identifier: BSD-2-Clause */
/* The area that a thread registers by itself for restartable sequences (cprng_os_join_sequences), as draws read it. */
#ifndef CPRNG_OS_OWN_AREA_H
#define CPRNG_OS_OWN_AREA_H

#include "core/port.h"

CPRNG_BEGIN_DECLARATIONS

/* The kernel's structure, of 32 bytes aligned to 32: include/uapi/linux/rseq.h. */
struct cprng_os_area {
	uint32_t cpu_id_start, cpu_id;
	uint64_t rseq_cs;
	uint32_t flags, node_id, mm_cid, end;
} __attribute__((aligned(32), may_alias));

/*
 * A thread's own area lies somewhere in the room, because a dynamic linker may refuse to load an object whose thread-local memory
 * is aligned to more than 16 bytes (glibc on AArch64).  A handler may be the first to use it, so glibc must not allocate it then:
 * initial-exec.  musl allocates a module's thread-local memory when it loads the module, and refuses to load a plugin that has
 * some that is initial-exec.
 */
struct cprng_os_own {
	uint32_t room[(16 + sizeof(struct cprng_os_area)) / sizeof(uint32_t)];
	uint32_t state;
} __attribute__((aligned(16)));

enum { CPRNG_OS_NEW, CPRNG_OS_JOINING, CPRNG_OS_JOINED, CPRNG_OS_LEFT };

#ifdef __GLIBC__
#define CPRNG_OS_THREAD_LOCAL __thread __attribute__((tls_model("initial-exec"), visibility("hidden")))
#else
#define CPRNG_OS_THREAD_LOCAL __thread __attribute__((visibility("hidden")))
#endif
extern CPRNG_OS_THREAD_LOCAL struct cprng_os_own cprng_os_own;

CPRNG_INLINE bool cprng_os_has_joined(void)
{
	return __atomic_load_n(&cprng_os_own.state, __ATOMIC_RELAXED) == CPRNG_OS_JOINED;
}

/* The calling thread's own area; its distance from the thread pointer may differ between threads. */
CPRNG_INLINE struct cprng_os_area *cprng_os_own_area(void)
{
	const uintptr_t align = sizeof(struct cprng_os_area), room = (uintptr_t)cprng_os_own.room;

	return (struct cprng_os_area *)((room + align - 1) & -align);
}

CPRNG_END_DECLARATIONS
#endif
