// SPDX-License-Identifier: BSD-2-Clause
#include "lines/permutation.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "common/draws.hpp"
#include "common/error.hpp"
#include "common/quantity.hpp"
#include "output/space.hpp"
#include "system/system.hpp"

namespace {

// Buffered bytes of each file.
constexpr std::size_t bin_buffer = std::size_t{ 64 } * 1024;

// Left free for other programs' logs and small files: 64 MiB, or this part of a small file system.
constexpr std::uint64_t kept_free = std::uint64_t{ 64 } << 20;
constexpr std::uint64_t kept_part = 64;

} // namespace

// A temporary file of lines, each preceded by its length.
class permutation::bin {
public:
	explicit bin(const std::string &directory) : directory_(directory)
	{
		descriptor_ = open_temporary(directory);
		if (descriptor_ < 0)
			fail();
	}

	~bin()
	{
		close_file(descriptor_);
	}

	bin(const bin &) = delete;
	bin &operator=(const bin &) = delete;

	void put(std::string_view line)
	{
		const std::uint64_t length = line.size();
		append({ reinterpret_cast<const char *>(&length), sizeof(length) });
		append(line);
	}

	void rewind()
	{
		flush();
		if (seek(descriptor_, 0, SEEK_SET) != 0)
			fail();
		buffer_.clear();
		next_ = 0;
	}

	// Returns false at the end.
	bool get(std::string &line)
	{
		std::uint64_t length = 0;
		if (!read_all(reinterpret_cast<char *>(&length), sizeof(length)))
			return false;
		line.resize(length);
		if (!read_all(line.data(), length))
			throw runtime_failure(
				fmt::format("{}: a temporary file has become shorter", quote(directory_)));
		return true;
	}

private:
	[[noreturn]] void fail() const
	{
		throw runtime_failure(fmt::format("{}: temporary file: {}", quote(directory_), system_message(errno)));
	}

	void append(std::string_view data)
	{
		if (buffer_.size() + data.size() > bin_buffer)
			flush();
		if (data.size() > bin_buffer)
			write_all(data);
		else
			buffer_ += data;
	}

	void flush()
	{
		write_all(buffer_);
		buffer_.clear();
	}

	void write_all(std::string_view data)
	{
		const std::optional<space> there = space_in(directory_);
		if (there && !data.empty() && there->free < data.size() + std::min(kept_free, there->whole / kept_part))
			throw runtime_failure(fmt::format("{}: temporary file: {}: the last {} are left free",
							  quote(directory_), system_message(ENOSPC),
							  readable_size(there->free)));
		while (!data.empty()) {
			const std::ptrdiff_t written = write_some(descriptor_, data.data(), data.size());
			if (written < 0)
				fail();
			data.remove_prefix(static_cast<std::size_t>(written));
		}
	}

	bool read_all(char *data, std::size_t size)
	{
		while (size > 0) {
			if (next_ == buffer_.size()) {
				next_ = 0;
				buffer_.resize(bin_buffer);
				const std::ptrdiff_t got = read_some(descriptor_, buffer_.data(), buffer_.size());
				if (got < 0)
					fail();
				buffer_.resize(static_cast<std::size_t>(got));
				if (got == 0)
					return false;
			}
			const std::size_t part = std::min(size, buffer_.size() - next_);
			std::memcpy(data, buffer_.data() + next_, part);
			next_ += part;
			data += part;
			size -= part;
		}
		return true;
	}

	std::string directory_;
	int descriptor_;
	std::string buffer_;
	std::size_t next_ = 0;
};

permutation::permutation(random_source &source, std::uint64_t memory, std::string directory, unsigned int depth,
			 std::uint64_t bins)
    : source_(source), memory_(memory), directory_(std::move(directory)), depth_(depth), bin_count_(bins)
{
}

permutation::~permutation() = default;

bool permutation::exceeds_memory(std::uint64_t lines, std::uint64_t bytes) const
{
	return bytes + 2 * (lines + 1) * sizeof(std::uint64_t) > memory_;
}

void permutation::expect(std::uint64_t lines, std::uint64_t bytes) const
{
	const std::optional<space> there = space_in(directory_);
	if (!there || !exceeds_memory(lines, bytes))
		return;
	const std::uint64_t wanted = bytes + lines * sizeof(std::uint64_t);
	if (wanted > there->free)
		fail_to_fit(fmt::format("{}: temporary files", quote(directory_)), ENOSPC, wanted, there->free);
}

void permutation::add(std::string_view line)
{
	if (!bins_.empty()) {
		scatter(line);
		return;
	}
	kept_.add(line);
	// A single line cannot be divided further.
	if (exceeds_memory(kept_.size(), kept_.bytes()) && kept_.size() > 1 && depth_ < depth_max)
		spill();
}

// Move the lines in memory into new temporary files.
void permutation::spill()
{
	for (std::uint64_t i = 0; i < bin_count_; i++)
		bins_.push_back(std::make_unique<bin>(directory_));
	for (std::size_t i = 0; i < kept_.size(); i++)
		scatter(kept_[i]);
	kept_ = {};
}

void permutation::scatter(std::string_view line)
{
	bins_[static_cast<std::size_t>(source_.below(bins_.size()))]->put(line);
}

void permutation::take(const std::function<void(std::string_view)> &take)
{
	std::string line;
	for (std::unique_ptr<bin> &one : bins_) {
		permutation part(source_, memory_, directory_, depth_ + 1, bin_count_);
		one->rewind();
		while (one->get(line))
			part.add(line);
		// Free this file's space before the next one is read.
		one.reset();
		part.take(take);
	}
	bins_.clear();
	std::vector<std::uint64_t> order(kept_.size());
	std::iota(order.begin(), order.end(), 0);
	source_.order(order.data(), order.size());
	for (std::uint64_t i : order)
		take(kept_[static_cast<std::size_t>(i)]);
	kept_ = {};
}
