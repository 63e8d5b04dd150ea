// SPDX-License-Identifier: BSD-2-Clause
#include "calls.hpp"

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

// The linker redirects the library's references to f to __wrap_f, and those to __real_f to f.
#define WRAP(name, parameters, arguments, ...) \
	extern "C" long __real_cprng_sys_##name parameters; \
	extern "C" long __wrap_cprng_sys_##name parameters; \
	long __wrap_cprng_sys_##name parameters \
	{ \
		const long instead = enter(__VA_ARGS__); \
		return instead != 0 ? instead : __real_cprng_sys_##name arguments; \
	}

WRAP(openat, (int dir, const char *path, int flags, unsigned int mode), (dir, path, flags, mode), "openat", path)
WRAP(close, (int fd), (fd), "close")
WRAP(fstat, (int fd, struct stat *status), (fd, status), "fstat")
WRAP(fchmod, (int fd, unsigned int mode), (fd, mode), "fchmod")
WRAP(renameat, (int dir, const char *from, const char *to), (dir, from, to), "renameat")
WRAP(unlinkat, (int dir, const char *name), (dir, name), "unlinkat")
WRAP(read, (int fd, void *buf, std::size_t len), (fd, buf, std::min(len, watch.longest)), "read")
WRAP(write, (int fd, const void *buf, std::size_t len), (fd, buf, std::min(len, watch.longest)), "write")

extern "C" long __real_cprng_os_sleep(std::uint32_t nanoseconds);
extern "C" long __wrap_cprng_os_sleep(std::uint32_t nanoseconds);

long __wrap_cprng_os_sleep(std::uint32_t nanoseconds)
{
	const long instead = enter("sleep");

	watch.slept += nanoseconds;
	return instead != 0 || !watch.sleeps ? instead : __real_cprng_os_sleep(nanoseconds);
}

extern "C" long __real_cprng_sys_fstatat(int dir, const char *name, struct stat *status);
extern "C" long __wrap_cprng_sys_fstatat(int dir, const char *name, struct stat *status);
long __wrap_cprng_sys_fstatat(int dir, const char *name, struct stat *status)
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

WRAP(fsync, (int fd), (fd), is_directory(fd) ? "fsync:directory" : "fsync:file")

extern "C" {
void __real_cprng_strong_read(struct cprng_process *p, std::uint8_t *buf, std::size_t len);
void __wrap_cprng_strong_read(struct cprng_process *p, std::uint8_t *buf, std::size_t len);
void __real_cprng_strong_seed(struct cprng_process *p, const void *buf, std::size_t len);
void __wrap_cprng_strong_seed(struct cprng_process *p, const void *buf, std::size_t len);
}

void __wrap_cprng_strong_read(struct cprng_process *p, std::uint8_t *buf, std::size_t len)
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

void __wrap_cprng_strong_seed(struct cprng_process *p, const void *buf, std::size_t len)
{
	const auto *bytes = static_cast<const std::uint8_t *>(buf);

	enter("seed");
	if (watch.on)
		watch.seeded.emplace_back(bytes, bytes + len);
	__real_cprng_strong_seed(p, buf, len);
}
