/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls of which files.c and die.c are made; each Unix brings them.  They are the calls of these names, and behave as
 * os.h says of its functions: no cancellation point, errno left alone, a negative error number on failure.
 */
#ifndef CPRNG_OS_UNIX_CALLS_H
#define CPRNG_OS_UNIX_CALLS_H

#include "core/port.h"

#include <errno.h>

CPRNG_BEGIN_DECLARATIONS

/* The value of a call that reports through errno, which stays as it was, as the kernel would return it. */
#define CPRNG_QUIET(call) \
	({ \
		int saved_errno = errno; \
		long result = (call); \
		if (result == -1) \
			result = -errno; \
		errno = saved_errno; \
		result; \
	})

struct stat;
long cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode);
long cprng_sys_close(int fd);
long cprng_sys_fstat(int fd, struct stat *status);
/* Of the name itself, if it is a symbolic link. */
long cprng_sys_fstatat(int dir, const char *name, struct stat *status);
long cprng_sys_fchmod(int fd, unsigned int mode);
long cprng_sys_read(int fd, void *buf, size_t len);
long cprng_sys_write(int fd, const void *buf, size_t len);
long cprng_sys_fsync(int fd);
/* Both names in one directory. */
long cprng_sys_renameat(int dir, const char *from, const char *to);
long cprng_sys_unlinkat(int dir, const char *name);
long cprng_sys_geteuid(void);

/* getrlimit(2), RLIMIT_FSIZE: the most bytes of a file that this process may write; without a limit a number above all lengths. */
uint64_t cprng_sys_longest_file(void);

/*
 * The user that Linux shows in place of each that a user namespace or an ID-mapped mount does not map (kernel.overflowuid), of
 * the process as of files.  Its number identifies no user.
 */
enum { CPRNG_OVERFLOW_USER = 65534 };

/* Is a file of this user, root's or that of the process's own user?  No other user can then change it, if its mode says so. */
CPRNG_INLINE bool cprng_sys_trusts(long user)
{
	return user == 0 || (user == cprng_sys_geteuid() && user != CPRNG_OVERFLOW_USER);
}

CPRNG_END_DECLARATIONS
#endif
