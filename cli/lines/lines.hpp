// SPDX-License-Identifier: BSD-2-Clause
// Lines of text from files, standard input or the command line.
#ifndef CPRNG_CLI_LINES_LINES_HPP
#define CPRNG_CLI_LINES_LINES_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/input.hpp"
#include "output/options.hpp"
#include "shell/command_line.hpp"

struct lines_arguments {
	std::vector<std::string> operands;
	output_arguments output;
	bool echo = false;
	bool zero = false;
	bool json = false;

	// What ends a line.
	char end() const
	{
		return zero ? '\0' : '\n';
	}
};

void add_lines_arguments(command &command, lines_arguments &arguments);

class line_reader {
public:
	// The input stays the caller's.
	line_reader(const input &from, char end);

	// The next line without its end, until the next call; nothing at the end of the input.  Throws runtime_failure.
	std::optional<std::string_view> next();

private:
	bool fill();

	const input &from_;
	char end_;
	std::string buffer_;
	std::size_t begin_ = 0;
	std::size_t used_ = 0;
	bool is_over_ = false;
};

// Hand every line of the arguments (of the file, of standard input, or with --echo the operands) to take().
void read_lines(const lines_arguments &arguments, const std::function<void(std::string_view)> &take);

// Lines on their way out, with their ends or as a JSON array.
class line_writer {
public:
	explicit line_writer(const lines_arguments &arguments);

	void put(std::string_view line);
	void finish();

private:
	void flush();

	const lines_arguments &arguments_;
	output out_;
	std::string buffer_;
	bool any_ = false;
};

#endif
