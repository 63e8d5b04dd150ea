// SPDX-License-Identifier: BSD-2-Clause
// A block device, such as a disk or partition: overwritten after a confirmation.
#include <array>
#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "common/error.hpp"
#include "output/direct.hpp"
#include "output/progress.hpp"
#include "output/sink.hpp"
#include "output/space.hpp"

namespace {

// Whether the user types "yes" at the terminal.
bool agrees(const std::string &question)
{
	if (write(STDERR_FILENO, question.data(), question.size()) < 0)
		return false;
	std::string answer;
	std::array<char, 64> piece;
	while (answer.find('\n') == std::string::npos && answer.size() < piece.size()) {
		ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		answer.append(piece.data(), static_cast<std::size_t>(got));
	}
	return answer == "yes\n";
}

class block_device final : public sink {
public:
	explicit block_device(const sink_options &options)
	    : sink(-1, quote(*options.file)), offset_(options.offset), can_resume_(options.can_resume)
	{
		// O_EXCL fails while a file system on it is mounted or another program holds it exclusively.
		descriptor_ = open(options.file->c_str(), O_WRONLY | O_CLOEXEC | O_EXCL);
		if (descriptor_ < 0 && errno == EBUSY)
			throw runtime_failure(fmt::format("{}: in use: mounted, or held by another program", name_));
		// Some drivers refuse the open, others only the first write.
		const int error = errno;
		if (descriptor_ < 0 ? error == EROFS : direct_transfer::is_read_only(descriptor_))
			throw runtime_failure(fmt::format("{}: the device is read-only", name_));
		errno = error;
		if (descriptor_ < 0 || !direct_.attach(descriptor_, capacity_))
			fail(errno);
		if (offset_ > capacity_)
			throw usage_error(
				fmt::format("--offset: {} is behind the end of {} at {}", offset_, name_, capacity_));
		if (!options.yes)
			ask();
		if (lseek(descriptor_, static_cast<off_t>(offset_), SEEK_SET) < 0)
			fail(errno);
	}

	std::optional<std::uint64_t> capacity() const override
	{
		return capacity_ - offset_;
	}

	void reserve(std::uint64_t size) override
	{
		if (size > capacity_ - offset_)
			fail_to_fit(name_, ENOSPC, size, capacity_ - offset_);
	}

	void prepare(std::uint64_t done, const void *data, std::size_t size) override
	{
		direct_.prepare(offset_ + done, data, size);
	}

	std::string where(std::uint64_t done) const override
	{
		const std::uint64_t offset = offset_ + done;
		return can_resume_ ? fmt::format(" at offset {0}; --offset {0} goes on from there", offset) :
				     fmt::format(" at offset {}", offset);
	}

	void finish() override
	{
		sync();
		close_descriptor();
	}

private:
	void ask() const
	{
		if (isatty(STDIN_FILENO) != 1 || isatty(STDERR_FILENO) != 1)
			throw usage_error(fmt::format("{}: a block device, of {}, is overwritten only with --yes",
						      name_, readable_size(capacity_)));
		if (!agrees(fmt::format("cprng: {} will be overwritten: {} from offset {} on.  Type yes to go on: ",
					printable(name_), readable_size(capacity_ - offset_), offset_)))
			throw usage_error(fmt::format("{}: left as it was", name_));
	}

	std::uint64_t offset_;
	bool can_resume_;
	std::uint64_t capacity_ = 0;
	direct_transfer direct_;
};

} // namespace

std::unique_ptr<sink> make_block_device(const sink_options &options)
{
	return std::make_unique<block_device>(options);
}
