/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of os.h, with the calls that every Unix has. */
#if !defined(_WIN32) && !defined(__wasi__)

#include "os/os.h"
#include "os/unix/calls.h"

#include <fcntl.h>
#include <sys/stat.h>

/* A signal that interrupts a call has no effect on the file: make the call again. */
#define AGAIN_IF_INTERRUPTED(call) \
	({ \
		long result; \
		do \
			result = (call); \
		while (result == -EINTR); \
		result; \
	})

static void describe(const struct stat *status, struct cprng_os_file *file)
{
	*file = (struct cprng_os_file){
		.device = (uint64_t)status->st_dev,
		.number = (uint64_t)status->st_ino,
		.size = (uint64_t)status->st_size,
		.links = (uint64_t)status->st_nlink,
		.regular = S_ISREG(status->st_mode),
		.trusted = cprng_sys_trusts((long)status->st_uid),
		.owner_may_write = (status->st_mode & S_IWUSR) != 0,
		.exposed = (status->st_mode & (S_IRWXG | S_IRWXO)) != 0,
	};
}

const char *cprng_os_name_in_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

long cprng_os_open_directory(const char *path)
{
	return AGAIN_IF_INTERRUPTED(cprng_sys_openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
}

long cprng_os_find_file(int dir, const char *name, struct cprng_os_file *file)
{
	struct stat status;
	long r = cprng_sys_fstatat(dir, name, &status);

	if (r >= 0)
		describe(&status, file);
	return r;
}

/* O_NOFOLLOW at a symbolic link fails with ELOOP in POSIX, EMLINK on FreeBSD and DragonFly, EFTYPE on NetBSD. */
#ifndef EFTYPE
#define EFTYPE ELOOP
#endif

long cprng_os_open_file(int dir, const char *name)
{
	/* Non-blocking, in case a FIFO has taken the name meanwhile. */
	const long r = AGAIN_IF_INTERRUPTED(
		cprng_sys_openat(dir, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0));

	return r == -EMLINK || r == -EFTYPE ? -ELOOP : r;
}

long cprng_os_create_file(int dir, const char *name)
{
	long fd = AGAIN_IF_INTERRUPTED(
		cprng_sys_openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	long r;

	if (fd < 0)
		return fd;
	/* The umask may have removed rights of the owner. */
	r = cprng_sys_fchmod((int)fd, 0600);
	if (r < 0) {
		cprng_sys_close((int)fd);
		cprng_sys_unlinkat(dir, name);
		return r;
	}
	return fd;
}

long cprng_os_describe_file(int fd, struct cprng_os_file *file)
{
	struct stat status;
	long r = cprng_sys_fstat(fd, &status);

	if (r >= 0)
		describe(&status, file);
	return r;
}

long cprng_os_read_file(int fd, void *buf, size_t len)
{
	return AGAIN_IF_INTERRUPTED(cprng_sys_read(fd, buf, len));
}

long cprng_os_write_file(int fd, const void *buf, size_t len)
{
	/* The system would also raise SIGXFSZ, which kills the process as soon as signals are unblocked. */
	if (len > cprng_sys_longest_file())
		return -EFBIG;
	return AGAIN_IF_INTERRUPTED(cprng_sys_write(fd, buf, len));
}

long cprng_os_sync_file(int fd)
{
	return AGAIN_IF_INTERRUPTED(cprng_sys_fsync(fd));
}

long cprng_os_rename_file(int dir, const char *from, const char *to)
{
	return cprng_sys_renameat(dir, from, to);
}

long cprng_os_remove_file(int dir, const char *name)
{
	return cprng_sys_unlinkat(dir, name);
}

void cprng_os_close_file(int fd)
{
	(void)cprng_sys_close(fd);
}

#endif
