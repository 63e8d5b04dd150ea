// SPDX-License-Identifier: BSD-2-Clause
#include "output.hpp"

#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "error.hpp"
#include "interrupt.hpp"

namespace {

// The directory of a path, with its slash, or nothing for the current one.
std::string directory_of(const std::string &path)
{
	std::size_t slash = path.rfind('/');
	return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

// The name behind all symbolic links.  Called after stat(2) has followed them under the kernel's own rules (such as
// protected_symlinks), which a walk of readlink(2) would not know.
std::string resolve(const std::string &path)
{
	std::unique_ptr<char, decltype(&std::free)> whole(realpath(path.c_str(), nullptr), std::free);
	return whole ? std::string(whole.get()) : path;
}

void ignore(int signal_number)
{
	struct sigaction action = {};
	action.sa_handler = SIG_IGN;
	sigaction(signal_number, &action, nullptr);
}

} // namespace

void prepare_descriptors()
{
	for (int descriptor = 0; descriptor <= 2; descriptor++) {
		if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF)
			continue;
		// The wrong way round, so that use is still an error.  open takes the lowest free number: this one.
		if (open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY) != descriptor)
			_exit(status_runtime);
	}
	ignore(SIGPIPE);
	ignore(SIGXFSZ);
}

output::output() : descriptor_(STDOUT_FILENO), name_("standard output")
{
}

output::output(const std::string &file) : descriptor_(-1), name_(quote(file))
{
	struct stat status;
	if (stat(file.c_str(), &status) == 0) {
		target_ = resolve(file);
		open_existing(status);
		return;
	}
	if (errno != ENOENT)
		fail(errno);
	if (file.empty())
		throw runtime_failure("the name of the output file is empty");
	struct stat link;
	if (lstat(file.c_str(), &link) == 0)
		throw runtime_failure(fmt::format("{}: a symbolic link that leads nowhere", name_));
	if (file.back() == '/')
		fail(EISDIR);
	target_ = file;
	// 0666: the umask and the directory's default access list take off what they like, as for a shell's ">".
	open_temporary(0666);
}

output::~output()
{
	if (!temporary_.empty()) {
		interrupt_guard guard;
		unlink(temporary_.c_str());
		forget_temporary();
	}
	if (descriptor_ > STDERR_FILENO)
		close(descriptor_);
}

void output::open_existing(const struct stat &status)
{
	if (S_ISDIR(status.st_mode))
		fail(EISDIR);
	if (!S_ISREG(status.st_mode)) {
		// Opening a FIFO waits for its reader.
		do
			descriptor_ = open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
		while (descriptor_ < 0 && errno == EINTR);
		if (descriptor_ < 0)
			fail(errno);
		return;
	}
	// A rename would replace even a read-only file, which its owner has protected from writing.
	if (faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0)
		fail(errno);
	replaces_ = true;
	mode_ = status.st_mode & 0777;
	owner_ = status.st_uid;
	group_ = status.st_gid;
	open_temporary(0600);
}

void output::open_temporary(mode_t mode)
{
	std::string name =
		fmt::format("{}.cprng-{:016x}", directory_of(target_), static_cast<std::uint64_t>(cprng_fast64()));
	if (name.size() >= PATH_MAX)
		fail(ENAMETOOLONG);
	// From the creation to the note for the signal handler no signal may come between.
	interrupt_guard guard;
	descriptor_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
	if (descriptor_ < 0 && replaces_)
		throw runtime_failure(
			fmt::format("{}: no temporary file can be made beside it: {}", name_, system_message(errno)));
	if (descriptor_ < 0)
		fail(errno);
	remember_temporary(name.c_str());
	temporary_ = std::move(name);
}

bool output::is_terminal() const noexcept
{
	return isatty(descriptor_) == 1;
}

void output::write(const void *data, std::size_t size)
{
	const char *next = static_cast<const char *>(data);
	while (size > 0) {
		ssize_t written = ::write(descriptor_, next, size);
		if (written >= 0) {
			next += written;
			size -= static_cast<std::size_t>(written);
		} else if (errno == EPIPE) {
			throw closed_pipe();
		} else if (errno == EAGAIN) {
			// Another process that shares the pipe or terminal has made it non-blocking.
			struct pollfd ready = { descriptor_, POLLOUT, 0 };
			if (poll(&ready, 1, -1) < 0 && errno != EINTR)
				fail(errno);
		} else if (errno != EINTR) {
			fail(errno);
		}
	}
}

void output::sync()
{
	// Pipes and many devices have nothing to bring to a disk and say so.
	if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
		fail(errno);
}

void output::finish()
{
	bool standard = descriptor_ == STDOUT_FILENO;
	if (replaces_) {
		// Only root can give files away.  A group that could not be kept must not inherit the other group's rights.
		if (fchown(descriptor_, owner_, group_) != 0 &&
		    fchown(descriptor_, static_cast<uid_t>(-1), group_) != 0)
			mode_ &= ~static_cast<mode_t>(0070);
		if (fchmod(descriptor_, mode_) != 0)
			fail(errno);
	}
	if (!standard)
		sync();
	// Network file systems report some failures only here.
	int descriptor = descriptor_;
	descriptor_ = -1;
	if (close(descriptor) != 0 && errno != EINTR)
		fail(errno);
	if (temporary_.empty())
		return;
	{
		interrupt_guard guard;
		if (rename(temporary_.c_str(), target_.c_str()) != 0)
			fail(errno);
		forget_temporary();
		temporary_.clear();
	}
	// The new name survives a power failure once the directory is on the disk too.  Not all file systems can.
	std::string directory = directory_of(target_);
	int parent = open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (parent >= 0) {
		(void)fsync(parent);
		close(parent);
	}
}

void output::fail(int error) const
{
	throw runtime_failure(fmt::format("{}: {}", name_, system_message(error)));
}
