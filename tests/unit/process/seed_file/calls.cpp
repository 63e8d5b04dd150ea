// SPDX-License-Identifier: BSD-2-Clause
#include "calls.hpp"
#include "../../../support/replace.hpp"

#include <algorithm>
#include <cstring>

#include <sys/stat.h>

namespace calls {

Watch watch;

long enter(const char *name, const char *path)
{
	if (!watch.on)
		return 0;
	if (path != nullptr)
		watch.path = path;
	const Call call = { name, watch.log.size() };
	watch.log.push_back(call.name);
	return watch.before ? watch.before(call) : 0;
}

} // namespace calls

using calls::enter;
using calls::watch;

// A system call that is watched.
#define WATCHED(name, parameters, arguments, ...) \
	REPLACE(long, cprng_sys_##name, parameters) \
	{ \
		const long instead = enter(__VA_ARGS__); \
		return instead != 0 ? instead : __real_cprng_sys_##name arguments; \
	}

WATCHED(openat, (int dir, const char *path, int flags, unsigned int mode), (dir, path, flags, mode), "openat", path)
WATCHED(close, (int fd), (fd), "close")
WATCHED(fstat, (int fd, struct stat *status), (fd, status), "fstat")
WATCHED(fchmod, (int fd, unsigned int mode), (fd, mode), "fchmod")
WATCHED(renameat, (int dir, const char *from, const char *to), (dir, from, to), "renameat")
WATCHED(unlinkat, (int dir, const char *name), (dir, name), "unlinkat")
WATCHED(read, (int fd, void *buf, std::size_t len), (fd, buf, std::min(len, watch.longest)), "read")
WATCHED(write, (int fd, const void *buf, std::size_t len), (fd, buf, std::min(len, watch.longest)), "write")

REPLACE(long, cprng_os_sleep, (std::uint32_t nanoseconds))
{
	const long instead = enter("sleep");

	watch.slept += nanoseconds;
	return instead != 0 || !watch.sleeps ? instead : __real_cprng_os_sleep(nanoseconds);
}

REPLACE(long, cprng_sys_fstatat, (int dir, const char *name, struct stat *status))
{
	long result = enter("fstatat");

	if (result == 0)
		result = __real_cprng_sys_fstatat(dir, name, status);
	if (result == 0 && watch.on && watch.spoil_status)
		watch.spoil_status(*status);
	return result;
}

static bool is_directory(int fd)
{
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
}

WATCHED(fsync, (int fd), (fd), is_directory(fd) ? "fsync:directory" : "fsync:file")

REPLACE(void, cprng_strong_read, (struct cprng_process * p, std::uint8_t *buf, std::size_t len))
{
	__real_cprng_strong_read(p, buf, len);
	if (!watch.on)
		return;
	watch.log.emplace_back("draw");
	calls::Bytes drawn(buf, buf + len);
	if (watch.spoil_drawn) {
		watch.spoil_drawn(drawn);
		std::memcpy(buf, drawn.data(), len);
	}
	watch.drawn.push_back(drawn);
}

REPLACE(void, cprng_strong_seed, (struct cprng_process * p, const void *buf, std::size_t len))
{
	const auto *bytes = static_cast<const std::uint8_t *>(buf);

	enter("seed");
	if (watch.on)
		watch.seeded.emplace_back(bytes, bytes + len);
	__real_cprng_strong_seed(p, buf, len);
}
