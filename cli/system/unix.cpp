// SPDX-License-Identifier: BSD-2-Clause
#include "system/system.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/interrupt.hpp"

namespace {

struct ignored {
	int number;
	struct sigaction before;
};

ignored ignored_signals[] = { { SIGPIPE, {} }, { SIGXFSZ, {} } };

// Wait until a descriptor that another process has made non-blocking is ready.  Returns false on failure.
bool wait_for(int descriptor, short event) noexcept
{
	struct pollfd ready = { descriptor, event, 0 };
	return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

} // namespace

// ----------------------------------------------------------------------------------------------------------- the process

void prepare_process()
{
	for (int descriptor = 0; descriptor <= 2; descriptor++) {
		if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
			continue;
		// Open it in the wrong mode, so that use still fails.  open returns the lowest free number, which is this one.
		if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor)
			_exit(EXIT_FAILURE);
	}
	struct sigaction action = {};
	action.sa_handler = SIG_IGN;
	for (ignored &one : ignored_signals)
		sigaction(one.number, &action, &one.before);
}

void restore_signals()
{
	for (const ignored &one : ignored_signals)
		sigaction(one.number, &one.before, nullptr);
}

bool take_arguments(int &, char **&)
{
	return true;
}

void on_progress_signal(void (*answer)(int))
{
	struct sigaction before;
	if (sigaction(SIGUSR1, nullptr, &before) == 0 && before.sa_handler == SIG_IGN)
		return;
	struct sigaction action = {};
	action.sa_handler = answer;
	action.sa_flags = SA_RESTART;
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, nullptr);
}

void without_signals(const std::function<void()> &start)
{
	const interrupt_guard guard;
	start();
}

const char *why_absent(std::string_view)
{
	return nullptr;
}

// -------------------------------------------------------------------------------------------------- terminals and messages

bool is_terminal(int descriptor) noexcept
{
	return isatty(descriptor) == 1;
}

bool rewrites_lines() noexcept
{
	return is_terminal(STDERR_FILENO);
}

bool has_colours() noexcept
{
	const char *terminal = std::getenv("TERM");
	return is_terminal(STDERR_FILENO) && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

void write_message(std::string_view text) noexcept
{
	if (write(STDERR_FILENO, text.data(), text.size()) < 0)
		return;
}

// ----------------------------------------------------------------------------------------------------------------- files

int open_input(const std::string &file)
{
	return open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

int open_temporary(const std::string &directory)
{
	int descriptor = open(directory.c_str(), O_RDWR | O_TMPFILE | O_CLOEXEC | O_EXCL, 0600);
	if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		// This file system, or this kernel, does not support O_TMPFILE.
		std::string name = directory + "/.cprng-XXXXXX";
		descriptor = mkostemp(name.data(), O_CLOEXEC);
		if (descriptor >= 0)
			unlink(name.c_str());
	}
	return descriptor;
}

const char temporary_directory_note[] = "$TMPDIR, or /tmp";

std::string temporary_directory()
{
	const char *directory = std::getenv("TMPDIR");
	return directory != nullptr && *directory != '\0' ? directory : "/tmp";
}

std::ptrdiff_t read_some(int descriptor, char *data, std::size_t size)
{
	for (;;) {
		const ssize_t got = read(descriptor, data, size);
		if (got >= 0 || (errno != EINTR && errno != EAGAIN))
			return got;
		if (errno == EAGAIN && !wait_for(descriptor, POLLIN))
			return -1;
	}
}

std::ptrdiff_t write_some(int descriptor, const void *data, std::size_t size) noexcept
{
	for (;;) {
		const ssize_t written = write(descriptor, data, size);
		if (written >= 0 || (errno != EINTR && errno != EAGAIN))
			return written;
		if (errno == EAGAIN && !wait_for(descriptor, POLLOUT))
			return -1;
	}
}

int close_file(int descriptor) noexcept
{
	return close(descriptor);
}

int sync_file(int descriptor) noexcept
{
	return fsync(descriptor);
}

bool is_directory(int descriptor) noexcept
{
	struct stat status;
	return fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode);
}

std::int64_t seek(int descriptor, std::int64_t offset, int from) noexcept
{
	return lseek(descriptor, static_cast<off_t>(offset), from);
}

std::uint64_t size_left(int descriptor) noexcept
{
	struct stat status;
	if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
		return 0;
	const off_t position = lseek(descriptor, 0, SEEK_CUR);
	return position < 0 || position > status.st_size ? 0 : static_cast<std::uint64_t>(status.st_size - position);
}

// The kernel refuses to shrink a fuller pipe and limits a user's total; then the size stays.
void enlarge_pipe(int descriptor, int size) noexcept
{
#ifdef F_SETPIPE_SZ
	struct stat status;
	if (fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) && fcntl(descriptor, F_GETPIPE_SZ) < size)
		(void)fcntl(descriptor, F_SETPIPE_SZ, size);
#else
	(void)descriptor;
	(void)size;
#endif
}

const bool lines_end_in_crlf = false;

namespace {

std::optional<space> space_of(const struct statvfs &status)
{
	if (status.f_blocks == 0)
		return std::nullopt;
	// A file system without a limit may report more than 2^64 bytes.
	const auto bytes = [&](std::uint64_t blocks) {
		std::uint64_t size;
		return __builtin_mul_overflow(blocks, std::uint64_t{ status.f_frsize }, &size) ? UINT64_MAX : size;
	};
	return space{ bytes(status.f_blocks), bytes(status.f_bavail) };
}

} // namespace

std::optional<space> space_of(int descriptor)
{
	struct statvfs status = {};
	return fstatvfs(descriptor, &status) == 0 ? space_of(status) : std::nullopt;
}

std::optional<space> space_in(const std::string &directory)
{
	struct statvfs status = {};
	return statvfs(directory.c_str(), &status) == 0 ? space_of(status) : std::nullopt;
}

// ------------------------------------------------------------------------------------------------------- memory and CPUs

void *allocate_pages(std::size_t size) noexcept
{
	void *pages = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return nullptr;
	// Best effort: if it fails, a core dump includes the pages.
	(void)madvise(pages, size, MADV_DONTDUMP);
	return pages;
}

void free_pages(void *pages, std::size_t size) noexcept
{
	explicit_bzero(pages, size);
	munmap(pages, size);
}

void wipe(void *data, std::size_t size) noexcept
{
	explicit_bzero(data, size);
}

void forbid_dumps() noexcept
{
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

namespace {

// The file's content; empty if the file cannot be read.
std::string content_of(const std::string &file)
{
	std::string content;
	const int descriptor = open_input(file);
	if (descriptor < 0)
		return content;
	char piece[4096];
	for (std::ptrdiff_t got; (got = read_some(descriptor, piece, sizeof(piece))) > 0;)
		content.append(piece, static_cast<std::size_t>(got));
	close_file(descriptor);
	return content;
}

// The least limit in this file of the control group and its ancestors.  In a container the hierarchy's root may be the container's
// group, while /proc/self/cgroup has the host's path: directories that do not exist have no limit.
std::uint64_t group_limit(const std::string &hierarchy, std::string group, const char *file)
{
	std::uint64_t least = UINT64_MAX;
	for (;;) {
		const std::string text = content_of(hierarchy + group + file);
		std::uint64_t limit;
		// "max" is not a number and means no limit.
		if (std::from_chars(text.data(), text.data() + text.size(), limit).ec == std::errc())
			least = std::min(least, limit);
		if (group.empty())
			return least;
		group.erase(group.rfind('/'));
	}
}

// Each line of /proc/self/cgroup is ID:CONTROLLERS:GROUP, without controllers for version 2 (cgroups(7)).
std::uint64_t groups_limit()
{
	std::uint64_t least = UINT64_MAX;
	const std::string lines = content_of("/proc/self/cgroup");
	for (std::size_t at = 0, end; (end = lines.find('\n', at)) != std::string::npos; at = end + 1) {
		const std::string_view line(lines.data() + at, end - at);
		const std::size_t first = line.find(':');
		const std::size_t second = line.find(':', first + 1);
		if (second == std::string_view::npos || second + 1 == line.size() || line[second + 1] != '/')
			continue;
		const std::string group(line.substr(second + 1));
		const std::string controllers = ',' + std::string(line.substr(first + 1, second - first - 1)) + ',';
		if (controllers == ",,")
			// Above memory.high the kernel slows the process down instead of ending it.
			for (const char *file : { "/memory.max", "/memory.high" })
				least = std::min(least, group_limit("/sys/fs/cgroup", group, file));
		else if (controllers.find(",memory,") != std::string::npos)
			least = std::min(least, group_limit("/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes"));
	}
	return least;
}

} // namespace

std::uint64_t usable_memory()
{
	const long pages = sysconf(_SC_PHYS_PAGES);
	const long page = sysconf(_SC_PAGESIZE);
	std::uint64_t least = groups_limit();
	if (pages > 0 && page > 0)
		least = std::min(least, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page));
	for (auto resource : { RLIMIT_AS, RLIMIT_DATA }) {
		struct rlimit limit;
		if (getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
			least = std::min<std::uint64_t>(least, limit.rlim_cur);
	}
	return least == UINT64_MAX ? 0 : least;
}

unsigned int processors() noexcept
{
	cpu_set_t set;
	// Fails on machines with more processors than the set can hold.
	return sched_getaffinity(0, sizeof(set), &set) != 0 ? UINT_MAX : static_cast<unsigned int>(CPU_COUNT(&set));
}

// ----------------------------------------------------------------------------------------------- the system's randomness

std::string why_no_entropy()
{
	unsigned char byte;
	long got;
	do
		got = syscall(SYS_getrandom, &byte, sizeof(byte), 0U);
	while (got < 0 && errno == EINTR);
	return got < 0 ? "getrandom: " + std::generic_category().message(errno) : std::string();
}

const char kernel_pool[] = "/dev/urandom";

int give_to_kernel(const void *data, std::size_t size) noexcept
{
	int descriptor = open(kernel_pool, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (descriptor < 0)
		return errno;
	struct stat status;
	int error = 0;
	if (fstat(descriptor, &status) != 0) {
		error = errno;
	} else if (!S_ISCHR(status.st_mode)) {
		// A misconfigured container may have a regular file here, which must not receive secrets.
		error = ENODEV;
	} else {
		ssize_t written;
		do
			written = write(descriptor, data, size);
		while (written < 0 && errno == EINTR);
		if (written < 0)
			error = errno;
		else if (written != static_cast<ssize_t>(size))
			error = EIO;
	}
	close(descriptor);
	return error;
}
