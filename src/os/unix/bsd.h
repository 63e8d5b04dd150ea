/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPRNG_BSD: the system is a BSD, which has more than POSIX (src/os/bsd).  CPRNG_POSIX alone keeps to POSIX there,
 * too; with CPRNG_BSD it is a build for tests on Linux, which stands in for the BSD (tests/support/bsd/).
 */
#ifndef CPRNG_OS_UNIX_BSD_H
#define CPRNG_OS_UNIX_BSD_H

#if (defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)) && !defined(CPRNG_POSIX) && \
	!defined(CPRNG_BSD)
#define CPRNG_BSD
#endif

/* Which calls wait: futex.c's, else freebsd.c's. */
#if defined(CPRNG_BSD) && (defined(__NetBSD__) || defined(__OpenBSD__))
#define CPRNG_BSD_FUTEX
#endif

#endif
