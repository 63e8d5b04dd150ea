// SPDX-License-Identifier: BSD-2-Clause
#include "fake_os.hpp"

FakeOs fake_os;

REPLACE_ANSWERED(openat, cprng_sys_openat, (int dir, const char *path, int flags, unsigned int mode), dir, path, flags,
		 mode)
REPLACE_ANSWERED(close, cprng_sys_close, (int fd), fd)
REPLACE_ANSWERED(fchmod, cprng_sys_fchmod, (int fd, unsigned int mode), fd, mode)
REPLACE_ANSWERED(renameat, cprng_sys_renameat, (int dir, const char *from, const char *to), dir, from, to)
REPLACE_ANSWERED(unlinkat, cprng_sys_unlinkat, (int dir, const char *name), dir, name)
REPLACE_ANSWERED(read, cprng_sys_read, (int fd, void *buf, std::size_t len), fd, buf, fake_os.read.at_most(len))
REPLACE_ANSWERED(write, cprng_sys_write, (int fd, const void *buf, std::size_t len), fd, buf,
		 fake_os.write.at_most(len))
REPLACE_ANSWERED(unix_milliseconds, cprng_os_unix_milliseconds, (std::uint64_t *milliseconds), milliseconds)
REPLACE_ANSWERED(sleep, cprng_os_sleep, (std::uint32_t nanoseconds), nanoseconds)

static long changed(long result, struct stat *status)
{
	if (result == 0 && fake_os.change_status)
		fake_os.change_status(*status);
	return result;
}

REPLACE(long, cprng_sys_fstat, (int fd, struct stat *status))
{
	return changed(fake_os.fstat(__real_cprng_sys_fstat, fd, status), status);
}

REPLACE(long, cprng_sys_fstatat, (int dir, const char *name, struct stat *status))
{
	return changed(fake_os.fstatat(__real_cprng_sys_fstatat, dir, name, status), status);
}

REPLACE(long, cprng_sys_fsync, (int fd))
{
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
		return fake_os.fsync_directory(__real_cprng_sys_fsync, fd);
	return fake_os.fsync(__real_cprng_sys_fsync, fd);
}
