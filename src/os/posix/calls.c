/* SPDX-License-Identifier: BSD-2-Clause */
/* For F_OFD_SETLK, which some C libraries still treat as an extension. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#if (!defined(__linux__) || defined(CPRNG_POSIX)) && !defined(_WIN32) && !defined(__wasi__)

#include "os/os.h"
#include "os/unix/calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h> /* renameat() */
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Functions of the C library are cancellation points, or may be. */
#define UNCANCELLED(call) \
	({ \
		int cancel_state; \
		long outcome; \
		(void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state); \
		outcome = CPRNG_QUIET(call); \
		(void)pthread_setcancelstate(cancel_state, &cancel_state); \
		outcome; \
	})

long cprng_sys_openat(int dir, const char *path, int flags, unsigned int mode)
{
	return UNCANCELLED(openat(dir, path, flags, (mode_t)mode));
}

long cprng_sys_close(int fd)
{
	return UNCANCELLED(close(fd));
}

long cprng_sys_fstat(int fd, struct stat *status)
{
	return UNCANCELLED(fstat(fd, status));
}

long cprng_sys_fstatat(int dir, const char *name, struct stat *status)
{
	return UNCANCELLED(fstatat(dir, name, status, AT_SYMLINK_NOFOLLOW));
}

long cprng_sys_fchmod(int fd, unsigned int mode)
{
	return UNCANCELLED(fchmod(fd, (mode_t)mode));
}

long cprng_sys_read(int fd, void *buf, size_t len)
{
	return UNCANCELLED(read(fd, buf, len));
}

long cprng_sys_write(int fd, const void *buf, size_t len)
{
	return UNCANCELLED(write(fd, buf, len));
}

long cprng_sys_fsync(int fd)
{
#ifdef F_FULLFSYNC
	/* macOS: fsync(2) leaves the content in the drive's cache.  Not every file system supports this call. */
	if (UNCANCELLED(fcntl(fd, F_FULLFSYNC)) == 0)
		return 0;
#endif
	return UNCANCELLED(fsync(fd));
}

long cprng_sys_renameat(int dir, const char *from, const char *to)
{
	return UNCANCELLED(renameat(dir, from, dir, to));
}

long cprng_sys_unlinkat(int dir, const char *name)
{
	return UNCANCELLED(unlinkat(dir, name, 0));
}

long cprng_sys_geteuid(void)
{
	return (long)geteuid();
}

uint64_t cprng_sys_longest_file(void)
{
	struct rlimit limit;

	return CPRNG_QUIET(getrlimit(RLIMIT_FSIZE, &limit)) == 0 ? (uint64_t)limit.rlim_cur : UINT64_MAX;
}

/*
 * Locks of open file descriptions (POSIX.1-2024), or the BSDs' flock(2): unlike the older locks of a process, they exclude
 * two threads of one process from each other, and no close of another descriptor releases them.
 */
#if defined(F_OFD_SETLK)
static long set_lock(int fd, bool locked)
{
	struct flock whole_file = { .l_type = locked ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET };

	return UNCANCELLED(fcntl(fd, F_OFD_SETLK, &whole_file));
}
#else
static long set_lock(int fd, bool locked)
{
	return UNCANCELLED(flock(fd, locked ? LOCK_EX | LOCK_NB : LOCK_UN));
}
#endif

long cprng_os_try_lock_file(int fd)
{
	long r;

	do
		r = set_lock(fd, true);
	while (r == -EINTR);
	return r == -EACCES || r == -EAGAIN ? -EWOULDBLOCK : r;
}

void cprng_os_unlock_file(int fd)
{
	(void)set_lock(fd, false);
}

#endif
