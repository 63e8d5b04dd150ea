// SPDX-License-Identifier: BSD-2-Clause
#include "output/sink.hpp"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.hpp"

namespace {

// Four times the default, and still within an L2 cache; measured in docs/decisions/0022-output-of-the-command.md.
constexpr int pipe_size = 256 * 1024;

class standard_output final : public sink {
public:
	standard_output() : sink(STDOUT_FILENO, "standard output")
	{
	}

	void finish() override
	{
		close_descriptor();
	}
};

// A FIFO, a character device and the like.
class other_file final : public sink {
public:
	explicit other_file(const std::string &file) : sink(-1, quote(file))
	{
		// open waits for the FIFO's reader.
		do
			descriptor_ = open(file.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
		while (descriptor_ < 0 && errno == EINTR);
		if (descriptor_ < 0)
			fail(errno);
	}

	void finish() override
	{
		sync();
		close_descriptor();
	}
};

// Such as /dev/stdout, or the FILE of `-o FILE >> FILE`: a replacement would lose what the file has, and what is still written
// to it.
bool is_standard_output(const struct stat &file)
{
	struct stat status;
	return S_ISREG(file.st_mode) && fstat(STDOUT_FILENO, &status) == 0 && file.st_dev == status.st_dev &&
	       file.st_ino == status.st_ino;
}

} // namespace

sink::sink(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name))
{
}

sink::~sink()
{
	if (descriptor_ > STDERR_FILENO)
		close(descriptor_);
}

// A larger pipe wakes its reader less often.  The kernel refuses to shrink a fuller pipe and limits a user's total;
// then the size stays.
void sink::reserve(std::uint64_t size)
{
#ifdef F_SETPIPE_SZ
	struct stat status;
	if (size > pipe_size && fstat(descriptor_, &status) == 0 && S_ISFIFO(status.st_mode) &&
	    fcntl(descriptor_, F_GETPIPE_SZ) < pipe_size)
		(void)fcntl(descriptor_, F_SETPIPE_SZ, pipe_size);
#else
	(void)size;
#endif
}

void sink::prepare(std::uint64_t, const void *, std::size_t)
{
}

std::string sink::where(std::uint64_t) const
{
	return {};
}

void sink::fail(int error, const std::string &where) const
{
	throw runtime_failure(fmt::format("{}: {}{}", name_, system_message(error), where));
}

void sink::sync() const
{
	// Pipes and many devices have no storage to sync, and return an error.
	if (fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
		fail(errno);
}

// Network file systems report some failures only here.
void sink::close_descriptor()
{
	int descriptor = descriptor_;
	descriptor_ = -1;
	if (close(descriptor) != 0 && errno != EINTR)
		fail(errno);
}

std::unique_ptr<sink> open_sink(const sink_options &options)
{
	struct stat status;
	const bool standard = !options.file || *options.file == "-";
	const bool exists = !standard && stat(options.file->c_str(), &status) == 0;
	if (exists && S_ISBLK(status.st_mode))
		return make_block_device(options);
	if (!standard && !exists && errno != ENOENT)
		throw runtime_failure(fmt::format("{}: {}", quote(*options.file), system_message(errno)));
	if (options.has_offset)
		throw usage_error("--offset: only a block device (-o DEVICE) can be written from an offset on");
	if (standard || (exists && is_standard_output(status)))
		return std::make_unique<standard_output>();
	if (!exists || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
		return make_regular_file(*options.file, exists ? &status : nullptr);
	return std::make_unique<other_file>(*options.file);
}
