/* SPDX-License-Identifier: BSD-2-Clause */
/* NetBSD's functions, under the names that they have in a rump kernel. */
#ifndef CPRNG_TESTS_NETBSD_H
#define CPRNG_TESTS_NETBSD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <rump/rump.h>
#include <rump/rump_syscalls.h>

size_t rumpns_cprng_fast(void *buf, size_t len);
uint32_t rumpns_cprng_fast32(void);
uint64_t rumpns_cprng_fast64(void);

size_t rumpns_cprng_strong(void *object, void *buf, size_t len, int flags);
size_t __real_rumpns_cprng_strong(void *object, void *buf, size_t len, int flags);

void *rumpns_softint_establish(unsigned int flags, void (*handler)(void *), void *arg);
void rumpns_softint_schedule(void *softint);

/* From sys/intr.h, machine/intrdefs.h and sys/sysctl.h of NetBSD/amd64. */
enum { SOFTINT_NET = 3, SOFTINT_MPSAFE = 0x100, IPL_NONE = 0, IPL_VM = 6, IPL_HIGH = 8, CTL_KERN = 1, KERN_ARND = 81 };

static inline void demand(int holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "failed: %s\n", what);
		exit(2);
	}
}

/* The kernel's threads are left alone. */
static inline void finish(int status)
{
	fflush(stdout);
	_exit(status);
}

static inline int compare_words(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Starts a kernel, and a process in it for the calling thread. */
static inline void start_kernel(void)
{
	/* The kernel's console is standard output, and a panic ends the process. */
	demand(setvbuf(stdout, NULL, _IOLBF, 0) == 0, "setvbuf");
	demand(rump_init() == 0, "rump_init");
	demand(rump_pub_lwproc_rfork(RUMP_RFFDG) == 0, "rump_pub_lwproc_rfork");
}

#endif
