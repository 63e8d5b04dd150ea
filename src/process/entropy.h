/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes of the operating system's generator. */
#ifndef CPRNG_PROCESS_ENTROPY_H
#define CPRNG_PROCESS_ENTROPY_H

#include "process/state.h"

/* Reserve the memory of the user entropy: part of the set-up of the process, before it is published. */
void cprng_entropy_set_up(struct cprng_process *p);

/*
 * Fill buf with len <= 256 bytes that no other draw has, by the user entropy where the system has it (os.h) and by system
 * call otherwise, or abort with a message.  Blocks until the system's generator is seeded.
 *
 * Not for recovery from a disclosure: user entropy expands these bytes from a key in this process's own memory, which Linux
 * replaces once a minute at the most, so an attacker that has read all of the memory knows them.
 */
void cprng_entropy(struct cprng_process *p, void *buf, size_t len);

/*
 * The same, any len, by system call alone: bytes that are not determined by the process's memory.  buf is the library's
 * own: in the application's, the kernel would refuse a page that a signal handler of the application has yet to map.
 */
void cprng_entropy_by_call(void *buf, size_t len);

const char *cprng_entropy_name(const struct cprng_process *p);

#endif
