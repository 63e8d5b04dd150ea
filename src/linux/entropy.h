/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of the kernel's generator. */
#ifndef CPRNG_LINUX_ENTROPY_H
#define CPRNG_LINUX_ENTROPY_H

#include "linux/process.h"

/* Choose the source and reserve its memory: part of the set-up of the process, before it is published. */
void cprng_entropy_set_up(struct cprng_process *p);

/*
 * Fill buf with len <= 256 bytes that no other draw has, by the vDSO where the kernel has it and by system call otherwise,
 * or abort with a message.  Blocks until the kernel's generator is seeded.
 *
 * Not for recovery from a disclosure: the vDSO expands them from a key in this process's own memory, which the kernel
 * replaces once a minute at the most, so an attacker that has read all of the memory knows them.
 */
void cprng_entropy(struct cprng_process *p, void *buf, size_t len);

/*
 * The same, any len, by system call alone: bytes that are not determined by the process's memory.  buf is the library's
 * own: in the application's, the kernel would refuse a page that a signal handler of the application has yet to map.
 */
void cprng_entropy_by_call(void *buf, size_t len);

/* The same; returns 0, or a negative error number with nothing usable in buf, instead of aborting. */
long cprng_entropy_try_call(void *buf, size_t len) CPRNG_MUST_CHECK;

const char *cprng_entropy_name(const struct cprng_process *p);

#endif
