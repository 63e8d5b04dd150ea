// SPDX-License-Identifier: BSD-2-Clause
// Output destinations: standard output, a regular file that appears whole or not at all, or a FIFO or device.
#ifndef CPRNG_CLI_OUTPUT_SINK_HPP
#define CPRNG_CLI_OUTPUT_SINK_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

class sink {
public:
	virtual ~sink();
	sink(const sink &) = delete;
	sink &operator=(const sink &) = delete;

	int descriptor() const noexcept
	{
		return descriptor_;
	}

	// Call before the first write.  Throws runtime_failure if size bytes cannot fit.
	virtual void reserve(std::uint64_t size);

	// Sync the data, put the file in its place and report late errors.
	virtual void finish() = 0;

	// more: a suffix of the message.
	[[noreturn]] void fail(int error, const std::string &more = {}) const;

protected:
	sink(int descriptor, std::string name);

	void sync() const;
	void close_descriptor();

	int descriptor_;
	// For messages, quoted.
	std::string name_;
};

// file: absent, "-" or the regular file that standard output is: standard output.  Throws runtime_failure.
std::unique_ptr<sink> open_sink(const std::optional<std::string> &file);

// For open_sink.
std::unique_ptr<sink> make_standard_output();

#endif
