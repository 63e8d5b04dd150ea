/* SPDX-License-Identifier: BSD-2-Clause */
/* Restartable sequences, as glibc registers them from 2.35 on; other C libraries do not. */
#include "os/linux/sys.h"
#include "os/os.h"

#include <stddef.h>

#ifndef __GLIBC_PREREQ
#define __GLIBC_PREREQ(major, minor) 0
#endif

/* Where a thread pointer is known to every compiler. */
#if __GLIBC_PREREQ(2, 35) && (defined(__x86_64__) || defined(__aarch64__))

#include <sys/rseq.h>

/* include/uapi/linux/membarrier.h; older headers lack the last two. */
enum {
	MEMBARRIER_QUERY = 0,
	MEMBARRIER_RSEQ = 1 << 7,
	MEMBARRIER_REGISTER_RSEQ = 1 << 8,
};

static const struct rseq *area_at(ptrdiff_t offset)
{
	return (const void *)((const char *)__builtin_thread_pointer() + offset);
}

bool cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	long commands;

	/*
	 * The size first: it is 0 when the C library did not register (tunable, valgrind, old kernel), and then the
	 * area may hold anything.
	 */
	if (__rseq_size == 0 || (int32_t)__atomic_load_n(&area_at(__rseq_offset)->cpu_id, __ATOMIC_RELAXED) < 0)
		return false;
	/* Without this command (Linux 5.10) the buffers of other CPUs could never be erased. */
	commands = cprng_sys_membarrier(MEMBARRIER_QUERY);
	if (commands < 0 || !(commands & MEMBARRIER_RSEQ))
		return false;
	*offset = __rseq_offset;
	return true;
}

const void *cprng_os_sequence_area(ptrdiff_t offset)
{
	return area_at(offset);
}

CPRNG_HOT uint32_t cprng_os_sequence_cpu(ptrdiff_t offset)
{
	return __atomic_load_n(&area_at(offset)->cpu_id_start, __ATOMIC_RELAXED);
}

long cprng_os_abort_sequences(void)
{
	long r = cprng_sys_membarrier(MEMBARRIER_RSEQ);

	if (r == 0)
		return 0;
	/* Not registered in this process image yet: registering costs milliseconds, so it waits until here. */
	r = cprng_sys_membarrier(MEMBARRIER_REGISTER_RSEQ);
	return r == 0 ? cprng_sys_membarrier(MEMBARRIER_RSEQ) : r;
}

#else

bool cprng_os_restartable_sequences(ptrdiff_t *offset)
{
	(void)offset;
	return false;
}

const void *cprng_os_sequence_area(ptrdiff_t offset)
{
	(void)offset;
	return NULL;
}

CPRNG_HOT uint32_t cprng_os_sequence_cpu(ptrdiff_t offset)
{
	(void)offset;
	return 0;
}

long cprng_os_abort_sequences(void)
{
	return -ENOSYS;
}

#endif
