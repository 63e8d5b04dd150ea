/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every system call of the library on Linux, with one function each.  Functions of os.h that are a single call are also in sys.c.
 * docs/system-calls.md lists the calls of sys.c, and the tests replace its functions at link time to inject faults.
 *
 * The rules of os.h hold for these functions, too.
 */
#ifndef CPRNG_OS_LINUX_SYS_H
#define CPRNG_OS_LINUX_SYS_H

#include "os/unix/calls.h"

CPRNG_BEGIN_DECLARATIONS

/* getrandom(2), flags 0: blocks until the kernel's generator is seeded.  At most 256 bytes are never cut short then. */
long cprng_sys_getrandom(void *buf, size_t len);

/* mmap(2) of private anonymous memory; prot and extra flags as given. */
long cprng_sys_mmap(size_t len, int prot, int extra_flags);
long cprng_sys_munmap(void *p, size_t len);
long cprng_sys_madvise(void *p, size_t len, int advice);

/* mmap(2) returns an address; one in the last page is an error number. */
CPRNG_INLINE bool cprng_sys_is_error(long result)
{
	return result < 0 && result > -4096;
}

/* mmap(2) of the first len bytes of a file, shared and read-only. */
long cprng_sys_map_file(int fd, size_t len);

/* mlock2(2) with MLOCK_ONFAULT: pages are locked when they are first used. */
long cprng_sys_mlock(void *p, size_t len);

/* gettid(2) */
long cprng_sys_gettid(void);

/* membarrier(2) */
long cprng_sys_membarrier(int command);

/* rseq(2), with the size and this architecture's signature, as every C library uses them; flags 1 unregisters. */
long cprng_sys_rseq(void *area, int flags);

/* sched_getaffinity(2) of the caller: returns the size in bytes of the kernel's CPU masks. */
long cprng_sys_cpu_mask_size(void);

/*
 * The word that the kernel sets to 0 when this thread ends or leaves its memory by execve(2): prctl(2), PR_GET_TID_ADDRESS
 * (CONFIG_CHECKPOINT_RESTORE), and set_tid_address(2).
 */
long cprng_sys_tid_address(uint32_t **word);
long cprng_sys_set_tid_address(uint32_t *word);

/* fstatfs(2): the number of the file system's kind. */
long cprng_sys_file_system(int fd, uint32_t *kind);

/* flock(2) */
long cprng_sys_flock(int fd, int operation);

/* Return an entry of the auxiliary vector; 0 if there is none. */
unsigned long cprng_sys_auxv(unsigned long type);

/* getenv(3); NULL in a program with more rights than its caller (AT_SECURE), since the caller controls the environment. */
const char *cprng_sys_environment(const char *name);

CPRNG_END_DECLARATIONS
#endif
