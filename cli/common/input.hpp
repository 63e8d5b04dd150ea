// SPDX-License-Identifier: BSD-2-Clause
// An input file.
#ifndef CPRNG_CLI_COMMON_INPUT_HPP
#define CPRNG_CLI_COMMON_INPUT_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include "common/wiped.hpp"

class input {
public:
	// Open the file, even one named "-".  Throws runtime_failure, also for a directory.
	static input file(const std::string &file);
	// The same, except that "-" is standard input.
	static input file_or_standard(const std::string &file);
	~input();
	input(const input &) = delete;
	input &operator=(const input &) = delete;

	int descriptor() const noexcept
	{
		return descriptor_;
	}

	// The name for messages: in quotes, or "standard input".
	const std::string &name() const noexcept
	{
		return name_;
	}

	// At least one byte, or 0 at the end.  Throws runtime_failure.
	std::size_t read(char *data, std::size_t size) const;

	// Read the rest, at most one byte more than `most`.  Throws runtime_failure if it is longer than `most`; the message says
	// that it cannot be `what`, such as "a key".
	secret_text read_whole(std::size_t most, std::string_view what) const;

private:
	// Takes the descriptor, or the error of open_input() if it is negative.
	input(int descriptor, std::string name);

	[[noreturn]] void fail(int error) const;

	int descriptor_;
	std::string name_;
};

#endif
