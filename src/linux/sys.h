/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every system call of the library, one function each: the list in docs/system-calls.md is this file, and the tests
 * replace single functions here at link time to inject faults.
 *
 * All of them are async-signal-safe, are not cancellation points, leave errno alone and return what the kernel
 * returned: a negative error number on failure.
 */
#ifndef CPRNG_LINUX_SYS_H
#define CPRNG_LINUX_SYS_H

#include "core/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* getrandom(2), flags 0: blocks until the kernel's generator is seeded.  At most 256 bytes are never cut short then. */
long cprng_sys_getrandom(void *buf, size_t len);

/* mmap(2) of private anonymous memory; prot and extra flags as given. */
long cprng_sys_mmap(size_t len, int prot, int extra_flags);
long cprng_sys_munmap(void *p, size_t len);
long cprng_sys_madvise(void *p, size_t len, int advice);

/* mmap(2) of the first len bytes of a file, shared and read-only. */
long cprng_sys_map_file(int fd, size_t len);

/* mlock2(2) with MLOCK_ONFAULT: pages are locked as they come into use. */
long cprng_sys_mlock(void *p, size_t len);

/* getpid(2) and gettid(2), from the kernel and not from a cache. */
long cprng_sys_pid(void);
long cprng_sys_tid(void);

/* membarrier(2) */
long cprng_sys_membarrier(int command);

/* sched_getaffinity(2) of the caller: returns the size in bytes of the kernel's CPU masks. */
long cprng_sys_cpu_mask_size(void);

/*
 * The word that the kernel sets to 0 when this thread ends or leaves its memory by execve(2): prctl(2), PR_GET_TID_ADDRESS
 * (CONFIG_CHECKPOINT_RESTORE), and set_tid_address(2).
 */
long cprng_sys_tid_address(uint32_t **word);
long cprng_sys_set_tid_address(uint32_t *word);

/* geteuid(2) */
long cprng_sys_euid(void);

/*
 * Files, by the calls of these names.  fstatat(2) does not follow a symbolic link; renameat(2) and unlinkat(2) stay in
 * one directory.
 */
struct stat;
long cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode);
long cprng_sys_close(int fd);
long cprng_sys_fstat(int fd, struct stat *status);
long cprng_sys_fstatat(int dir, const char *name, struct stat *status);
long cprng_sys_flock(int fd, int operation);
long cprng_sys_fchmod(int fd, unsigned int mode);
long cprng_sys_read(int fd, void *buf, size_t len);
long cprng_sys_write(int fd, const void *buf, size_t len);
long cprng_sys_fsync(int fd);
long cprng_sys_renameat(int dir, const char *from, const char *to);
long cprng_sys_unlinkat(int dir, const char *name);

/* nanosleep(2), less than a second; a signal handler cuts it short. */
long cprng_sys_sleep(uint32_t nanoseconds);

/*
 * Block signals; the old mask goes to *saved.  And set the mask back.
 *
 * Not blocked are those that the thread's own instructions raise: SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP and SIGSYS.  The
 * kernel kills a process that raises one of them while it is blocked, although the program may have a handler that
 * maps the page (garbage collectors, lazy commit), emulates the call (seccomp) or steps through the code.
 */
void cprng_sys_block_signals(uint64_t *saved);
void cprng_sys_restore_signals(const uint64_t *saved);

/* An entry of the auxiliary vector, 0 where there is none; and the size of a page. */
unsigned long cprng_sys_auxv(unsigned long type);
size_t cprng_sys_page_size(void);

/* futex(2) on a word of this process: sleep while it has the value; wake one who sleeps.  Errors look like wake-ups. */
void cprng_sys_futex_wait(uint32_t *word, uint32_t value);
void cprng_sys_futex_wake(uint32_t *word);

/* CLOCK_MONOTONIC; 0 if there is no clock. */
uint64_t cprng_sys_nanoseconds(void);

/* Seconds of CLOCK_MONOTONIC_COARSE (no system call where the vDSO has the clock); 0 if there is no clock. */
uint32_t cprng_sys_seconds(void);

/* "cprng: what\n" (or "cprng: what: error 38\n" for a negative error number) to standard error, then abort. */
__attribute__((noreturn)) void cprng_die(const char *what, long error);

#ifdef __cplusplus
}
#endif
#endif
