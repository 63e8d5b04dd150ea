/* SPDX-License-Identifier: BSD-2-Clause */
#include_next <sys/mman.h>
#ifndef CPRNG_TEST_BSD_MMAN_H
#define CPRNG_TEST_BSD_MMAN_H
#include <stddef.h>

#define INHERIT_ZERO 3
#define MADV_NOCORE 8

/* minherit(2) of FreeBSD; madvise(2) of Linux knows no advice 8, and refuses it. */
int minherit(void *p, size_t len, int inherit);
#endif
