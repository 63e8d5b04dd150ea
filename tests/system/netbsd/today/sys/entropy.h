/* SPDX-License-Identifier: BSD-2-Clause */
/* The interfaces of NetBSD 10 that the drop-ins use; nist_ctr_drbg.c has the functions. */
#ifndef CPRNG_TESTS_NETBSD_ENTROPY_H
#define CPRNG_TESTS_NETBSD_ENTROPY_H

#include <sys/percpu.h>

unsigned entropy_epoch(void);
percpu_t *percpu_create(size_t, percpu_callback_t, percpu_callback_t, void *);

#endif
