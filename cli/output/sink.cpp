// SPDX-License-Identifier: BSD-2-Clause
#include "output/sink.hpp"

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "common/error.hpp"
#include "system/system.hpp"

namespace {

// Four times the default, and still within an L2 cache; measured in docs/decisions/0022-output-of-the-command.md.
constexpr int pipe_size = 256 * 1024;

class standard_output final : public sink {
public:
	standard_output() : sink(standard_output_descriptor, "standard output")
	{
	}

	void finish() override
	{
		close_descriptor();
	}
};

} // namespace

sink::sink(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name))
{
}

sink::~sink()
{
	if (descriptor_ > standard_error_descriptor)
		close_file(descriptor_);
}

// A larger pipe wakes its reader less often.
void sink::reserve(std::uint64_t size)
{
	if (size > pipe_size)
		enlarge_pipe(descriptor_, pipe_size);
}

void sink::fail(int error, const std::string &more) const
{
	throw runtime_failure(fmt::format("{}: {}{}", name_, system_message(error), more));
}

void sink::sync() const
{
	// Pipes and many devices have no storage to sync, and return an error.
	if (sync_file(descriptor_) != 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
		fail(errno);
}

// Network file systems report some failures only here.
void sink::close_descriptor()
{
	int descriptor = descriptor_;
	descriptor_ = -1;
	if (close_file(descriptor) != 0 && errno != EINTR)
		fail(errno);
}

std::unique_ptr<sink> make_standard_output()
{
	return std::make_unique<standard_output>();
}
