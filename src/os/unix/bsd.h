/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CPRNG_BSD: the system is a BSD, which has more than POSIX (src/os/bsd).  A build with only CPRNG_POSIX keeps to POSIX there,
 * too.  One with CPRNG_POSIX and CPRNG_BSD is for tests on Linux, which then emulates the BSD (tests/support/bsd/).
 */
#ifndef CPRNG_OS_UNIX_BSD_H
#define CPRNG_OS_UNIX_BSD_H

#if (defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__) || defined(__APPLE__)) && \
	!defined(CPRNG_POSIX) && !defined(CPRNG_BSD)
#define CPRNG_BSD
#endif

/* Select futex.c, macos.c or freebsd.c, by the system's calls for waiting. */
#if defined(CPRNG_BSD) && (defined(__NetBSD__) || defined(__OpenBSD__))
#define CPRNG_BSD_FUTEX
#elif defined(CPRNG_BSD) && defined(__APPLE__) && !defined(CPRNG_BSD_MACOS)
#define CPRNG_BSD_MACOS
#elif defined(CPRNG_BSD) && !defined(CPRNG_BSD_MACOS)
#define CPRNG_BSD_FREEBSD
#endif

/* A forked child calls this before it draws, in the thread that forked; async-signal-safe. */
void cprng_bsd_begin_child(void);

/* An unused number: an emulator whose minherit(2) accepts it accepts any, and has no effect. */
#define CPRNG_NO_INHERITANCE (-1)

#endif
