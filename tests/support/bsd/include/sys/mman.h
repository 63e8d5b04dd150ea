/* SPDX-License-Identifier: BSD-2-Clause */
#include_next <sys/mman.h>
#ifndef CPRNG_TESTS_BSD_MMAN_H
#define CPRNG_TESTS_BSD_MMAN_H
#include <stddef.h>

#define INHERIT_ZERO 3
#define MADV_NOCORE 8

/* FreeBSD's minherit(2).  Linux's madvise(2) does not know advice 8 and refuses it. */
int minherit(void *p, size_t len, int inherit);
#endif
