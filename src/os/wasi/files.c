/* SPDX-License-Identifier: BSD-2-Clause */
/* WASI has no file locks, so there is no seed file: opening a directory fails, so the other functions never get a descriptor. */
#ifdef __wasi__

#include "os/os.h"

#include <errno.h>

const char *cprng_os_name_in_path(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

long cprng_os_open_directory(const char *path)
{
	(void)path;
	return -ENOSYS;
}

long cprng_os_find_file(int dir, const char *name, struct cprng_os_file *file)
{
	(void)dir;
	(void)name;
	(void)file;
	return -ENOSYS;
}

long cprng_os_open_file(int dir, const char *name)
{
	(void)dir;
	(void)name;
	return -ENOSYS;
}

long cprng_os_create_file(int dir, const char *name)
{
	(void)dir;
	(void)name;
	return -ENOSYS;
}

long cprng_os_describe_file(int fd, struct cprng_os_file *file)
{
	(void)fd;
	(void)file;
	return -ENOSYS;
}

long cprng_os_try_lock_file(int fd)
{
	(void)fd;
	return -ENOSYS;
}

long cprng_os_read_file(int fd, void *buf, size_t len)
{
	(void)fd;
	(void)buf;
	(void)len;
	return -ENOSYS;
}

long cprng_os_write_file(int fd, const void *buf, size_t len)
{
	(void)fd;
	(void)buf;
	(void)len;
	return -ENOSYS;
}

long cprng_os_sync_file(int fd)
{
	(void)fd;
	return -ENOSYS;
}

long cprng_os_rename_file(int dir, const char *from, const char *to)
{
	(void)dir;
	(void)from;
	(void)to;
	return -ENOSYS;
}

long cprng_os_remove_file(int dir, const char *name)
{
	(void)dir;
	(void)name;
	return -ENOSYS;
}

void cprng_os_unlock_file(int fd)
{
	(void)fd;
}

void cprng_os_close_file(int fd)
{
	(void)fd;
}

#endif
