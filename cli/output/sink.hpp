// SPDX-License-Identifier: BSD-2-Clause
// Output destinations: standard output, a regular file that appears whole or not at all where possible, a block device,
// or another file.
#ifndef CPRNG_CLI_OUTPUT_SINK_HPP
#define CPRNG_CLI_OUTPUT_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

struct sink_options {
	// Absent, "-" or the regular file that standard output is: standard output.
	std::optional<std::string> file;
	// Overwrite a block device without confirmation.
	bool yes = false;
	// The start offset on a block device.
	std::uint64_t offset = 0;
	// Only a block device can begin at an offset other than 0.
	bool has_offset = false;
	// Raw bytes only: after an error, --offset can resume where the output ended.
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

	// The capacity, if known.
	virtual std::optional<std::uint64_t> capacity() const
	{
		return std::nullopt;
	}

	// Called before the first write: throws runtime_failure if size bytes cannot fit.
	virtual void reserve(std::uint64_t size);

	// Called before each write(2) of size bytes at data, after `done` bytes.
	virtual void prepare(std::uint64_t done, const void *data, std::size_t size);

	// A suffix for the message of a write that failed after `done` bytes: " at ...".
	virtual std::string where(std::uint64_t done) const;

	// Sync the data, put the file in its place and report late errors.
	virtual void finish() = 0;

	[[noreturn]] void fail(int error, const std::string &where = {}) const;

protected:
	sink(int descriptor, std::string name);

	void sync() const;
	void close_descriptor();

	int descriptor_;
	// For messages, quoted.
	std::string name_;
};

// Throws runtime_failure or usage_error.
std::unique_ptr<sink> open_sink(const sink_options &options);

// Used by open_sink.
std::unique_ptr<sink> make_standard_output();
struct stat;
// Unix alone; existing: the file's stat(2), or null.
std::unique_ptr<sink> make_regular_file(const std::string &file, const struct stat *existing);
std::unique_ptr<sink> make_block_device(const sink_options &options);

#endif
