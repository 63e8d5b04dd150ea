// SPDX-License-Identifier: BSD-2-Clause
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.hpp"
#include "output/sink.hpp"

namespace {

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
		return make_standard_output();
	if (!exists || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
		return make_regular_file(*options.file, exists ? &status : nullptr);
	return std::make_unique<other_file>(*options.file);
}
