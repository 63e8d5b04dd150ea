/* SPDX-License-Identifier: BSD-2-Clause */
#include "os/unix/calls.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h> /* renameat() */
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
