/* SPDX-License-Identifier: BSD-2-Clause */
/* What the BSDs have in common and POSIX lacks: pages that a fork zeroes, minherit(2), and the number of CPUs. */
#include "os/unix/bsd.h"
#ifdef CPRNG_BSD

#include "os/os.h"
#include "os/unix/calls.h"

#include <sys/mman.h>
#include <unistd.h>

/* FreeBSD has a name of its own. */
#if !defined(MAP_INHERIT_ZERO) && defined(INHERIT_ZERO)
#define MAP_INHERIT_ZERO INHERIT_ZERO
#endif

#ifndef CPRNG_BSD_MACOS
const char cprng_os_fork_guard[] = "wipe-on-fork";

bool cprng_os_wipe_on_fork(void *p, size_t len)
{
#ifdef MAP_INHERIT_ZERO
	if (CPRNG_QUIET(minherit(p, len, CPRNG_NO_INHERITANCE)) == 0 ||
	    CPRNG_QUIET(minherit(p, len, MAP_INHERIT_ZERO)) != 0)
		return false;
#ifdef MADV_NOCORE
	/* Nothing else rests on this.  OpenBSD has MAP_CONCEAL instead (system.c). */
	(void)CPRNG_QUIET(madvise(p, len, MADV_NOCORE));
#endif
	return true;
#else
	(void)p;
	(void)len;
	return false;
#endif
}
#endif

uint32_t cprng_os_cpu_limit(void)
{
	const long n = CPRNG_QUIET(sysconf(_SC_NPROCESSORS_CONF));

	return n > 0 && n <= (long)INT32_MAX ? (uint32_t)n : 0;
}

#endif
