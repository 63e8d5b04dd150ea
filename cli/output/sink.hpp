// SPDX-License-Identifier: BSD-2-Clause
// What is written to: standard output, a regular file that appears whole or not at all where that can be, a block device, or
// another file.
#ifndef CPRNG_CLI_OUTPUT_SINK_HPP
#define CPRNG_CLI_OUTPUT_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <sys/stat.h>

struct sink_options {
	// Nothing or "-": standard output.
	std::optional<std::string> file;
	// A block device may be overwritten without a question.
	bool yes = false;
	// Where on a block device to begin.
	std::uint64_t offset = 0;
	// No sink but a block device can begin elsewhere than at 0.
	bool has_offset = false;
	// Raw bytes: after an error --offset goes on where the output has ended.  Text has no such place.
	bool can_resume = false;
};

class sink {
public:
	virtual ~sink();
	sink(const sink &) = delete;
	sink &operator=(const sink &) = delete;

	int descriptor() const noexcept
	{
		return descriptor_;
	}

	// How much fits, where that is known.
	virtual std::optional<std::uint64_t> capacity() const
	{
		return std::nullopt;
	}

	// Before anything is written: throws runtime_failure if size bytes cannot be written.
	virtual void reserve(std::uint64_t size);

	// Before a write(2) of size bytes at data, when done bytes have been written.
	virtual void prepare(std::uint64_t done, const void *data, std::size_t size);

	// What to add to the message of a write that failed after done bytes: " at ...".
	virtual std::string where(std::uint64_t done) const;

	// Bring the data to the disk where there is one, put the file in its place and report late errors.
	virtual void finish() = 0;

	[[noreturn]] void fail(int error, const std::string &where = {}) const;

protected:
	sink(int descriptor, std::string name);

	void sync() const;
	void close_descriptor();
	[[noreturn]] void fail_to_fit(int error, std::uint64_t size, std::uint64_t free) const;

	int descriptor_;
	// For messages.
	std::string name_;
};

// Throws runtime_failure or usage_error.
std::unique_ptr<sink> open_sink(const sink_options &options);

// Of open_sink: what a stat(2) of the file has found.
std::unique_ptr<sink> make_regular_file(const std::string &file, const struct stat *existing);
std::unique_ptr<sink> make_block_device(const sink_options &options);

#endif
