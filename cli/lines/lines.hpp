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
#include "common/quantity.hpp"
#include "common/source.hpp"
#include "shell/command_line.hpp"
#include "shell/output_arguments.hpp"

struct lines_arguments {
	std::vector<std::string> operands;
	// LO-HI: its numbers are the lines.
	std::optional<std::string> numbers;
	output_arguments output;
	bool echo = false;
	bool zero = false;
	bool json = false;
	bool repeat = false;

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

// Of --input-range.  Throws usage_error if there are other lines, too.
range chosen_numbers(const lines_arguments &arguments);

// Hand every line of the arguments (of the file, of standard input, with --echo the operands, or the numbers) to take().
void read_lines(const lines_arguments &arguments, const std::function<void(std::string_view)> &take);

// Lines on their way out, with their ends or as a JSON array.
class line_writer {
public:
	explicit line_writer(const lines_arguments &arguments);

	void put(std::string_view line);
	void put(std::int64_t number);
	void finish();

private:
	void flush();

	const lines_arguments &arguments_;
	output out_;
	std::string buffer_;
	bool any_ = false;
};

// --repeat: so many lines, each of them any of the input's.  Throws usage_error or runtime_failure.
void print_repeated(const lines_arguments &arguments, random_source &source, amount count);

// The same without repetitions, of --input-range, in a random order: the memory is that of what is printed.
void print_some_numbers(const lines_arguments &arguments, random_source &source, const amount &count);

#endif
