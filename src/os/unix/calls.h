/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calls that files.c and die.c use; each Unix implements them.  They are the system calls of these names, under the rules of
 * os.h: no cancellation point, errno unchanged, a negative error number on failure.
 */
#ifndef CPRNG_OS_UNIX_CALLS_H
#define CPRNG_OS_UNIX_CALLS_H

#include "core/port.h"

#include <errno.h>

CPRNG_BEGIN_DECLARATIONS

/* Convert a call that reports through errno to the kernel's form, a negative error number, and leave errno unchanged. */
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
/* Does not follow a symbolic link. */
long cprng_sys_fstatat(int dir, const char *name, struct stat *status);
long cprng_sys_fchmod(int fd, unsigned int mode);
long cprng_sys_read(int fd, void *buf, size_t len);
long cprng_sys_write(int fd, const void *buf, size_t len);
long cprng_sys_fsync(int fd);
/* Both names are in one directory. */
long cprng_sys_renameat(int dir, const char *from, const char *to);
long cprng_sys_unlinkat(int dir, const char *name);
long cprng_sys_geteuid(void);

/* RLIMIT_FSIZE: the largest file, in bytes, that this process may write; without a limit, a number above all lengths. */
uint64_t cprng_sys_longest_file(void);

/*
 * The user that Linux shows for users that a user namespace or an ID-mapped mount does not map (kernel.overflowuid), both as a
 * process's user and as a file's owner.  It identifies no user.
 */
enum { CPRNG_OVERFLOW_USER = 65534 };

/* Return true for root and the process's own user: a file of theirs can be changed by others only if its mode allows it. */
CPRNG_INLINE bool cprng_sys_trusts(long user)
{
	return user == 0 || (user == cprng_sys_geteuid() && user != CPRNG_OVERFLOW_USER);
}

CPRNG_END_DECLARATIONS
#endif
