// SPDX-License-Identifier: BSD-2-Clause
// A file that is read.
#ifndef CPRNG_CLI_COMMON_INPUT_HPP
#define CPRNG_CLI_COMMON_INPUT_HPP

#include <cstddef>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "common/wiped.hpp"

class input {
public:
	// The file of that name, also of the name "-".  Throws runtime_failure, for a directory too.
	static input file(const std::string &file);
	// The same, and standard input for "-".
	static input file_or_standard(const std::string &file);
	~input();
	input(const input &) = delete;
	input &operator=(const input &) = delete;

	int descriptor() const noexcept
	{
		return descriptor_;
	}

	// For messages: in quotes, or "standard input".
	const std::string &name() const noexcept
	{
		return name_;
	}

	// What read(2) returns; a call that a signal has interrupted is repeated.
	ssize_t try_read(char *data, std::size_t size) const noexcept;

	// At least one byte, or 0 at the end.  Throws runtime_failure.
	std::size_t read(char *data, std::size_t size) const;

	// All that is left.  Throws runtime_failure if there are more than so many bytes, which says what they cannot be:
	// "a key".  No more than that is read of an endless file.
	secret_text read_whole(std::size_t most, std::string_view what) const;

	// where: " at ...", or nothing.
	[[noreturn]] void fail(int error, const std::string &where = {}) const;

private:
	// Takes the descriptor, or the error of open(2) if it is negative.
	input(int descriptor, std::string name);

	int descriptor_;
	std::string name_;
};

#endif
