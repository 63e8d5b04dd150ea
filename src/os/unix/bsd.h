/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPRNG_BSD: the system is a BSD, which has more than POSIX (src/os/bsd).  CPRNG_POSIX alone keeps to POSIX there,
 * too; with CPRNG_BSD it is a build for tests on Linux, which stands in for the BSD (tests/support/bsd/).
 */
#ifndef CPRNG_OS_UNIX_BSD_H
#define CPRNG_OS_UNIX_BSD_H

#if (defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(__APPLE__)) && \
	!defined(CPRNG_POSIX) && !defined(CPRNG_BSD)
#define CPRNG_BSD
#endif

/* One of futex.c, macos.c and freebsd.c, by its calls that wait. */
#if defined(CPRNG_BSD) && (defined(__NetBSD__) || defined(__OpenBSD__))
#define CPRNG_BSD_FUTEX
#elif defined(CPRNG_BSD) && defined(__APPLE__) && !defined(CPRNG_BSD_MACOS)
#define CPRNG_BSD_MACOS
#elif defined(CPRNG_BSD) && !defined(CPRNG_BSD_MACOS)
#define CPRNG_BSD_FREEBSD
#endif

/* What a forked child calls before it draws, in the thread that forked; async-signal-safe. */
void cprng_bsd_begin_child(void);

/* No inheritance has this number: minherit(2) of an emulator that accepts it accepts any, and has no effect. */
#define CPRNG_NO_INHERITANCE (-1)

#endif
