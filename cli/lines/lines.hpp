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
#include "lines/kept_lines.hpp"
#include "output/output.hpp"
#include "shell/command_line.hpp"

struct lines_arguments {
	std::vector<std::string> operands;
	// LO-HI: the lines are the numbers of this range.
	std::optional<std::string> numbers;
	output_options output;
	bool echo = false;
	bool zero = false;
	bool json = false;
	bool repeat = false;

	// The character that ends a line.
	char end() const
	{
		return zero ? '\0' : '\n';
	}
};

// The most bytes of a line: far more than text has, and little compared with a machine's memory.
constexpr std::size_t longest_line = std::size_t{ 64 } << 20;

void add_lines_arguments(command &command, lines_arguments &arguments);

class line_reader {
public:
	// The caller keeps ownership of the input.  longest: the most bytes of a line.
	line_reader(const input &from, char end, std::size_t longest);

	// The next line without its end, valid until the next call; empty at the end of the input.  Throws runtime_failure, also
	// for a line that is too long.
	std::optional<std::string_view> next();

private:
	bool fill();
	std::string_view take(std::size_t length, std::size_t with_end);

	const input &from_;
	char end_;
	std::size_t longest_;
	std::uint64_t taken_ = 0;
	std::string buffer_;
	std::size_t begin_ = 0;
	std::size_t used_ = 0;
	bool is_over_ = false;
};

// The range of --input-range.  Throws usage_error if other lines are given, too.
wide_range chosen_numbers(const lines_arguments &arguments);

// usable_memory(), or a guess if that is unknown, divided by `divisor`: the system kills programs that use all of it.
std::uint64_t part_of_memory(unsigned int divisor);

// Counts the bytes kept in memory, up to half of usable_memory().
class kept_memory {
public:
	// what: "with --seed all lines"
	explicit kept_memory(std::string what);

	bool has_room(std::uint64_t count, std::uint64_t each) const;
	// Throws runtime_failure if `count` lines of `each` bytes do not fit.
	void expect(std::uint64_t count, std::uint64_t each) const;
	// The same for lines added one by one, each of which replaces `instead` bytes.
	void add(std::uint64_t bytes, std::uint64_t instead = 0);

private:
	[[noreturn]] void fail() const;

	std::string what_;
	std::uint64_t most_;
	std::uint64_t used_ = 0;
};

// Pass every line to take(): from the file or standard input, the operands (--echo), or the range's numbers.  expect() is called
// first with the size of a regular file, or with the most that numbers can need.  Throws runtime_failure for an input line longer
// than `longest` bytes.
void read_lines(const lines_arguments &arguments, const std::function<void(std::string_view)> &take,
		std::size_t longest = longest_line,
		const std::function<void(std::uint64_t lines, std::uint64_t bytes)> &expect = {});

// All lines in memory.  what: for the message of kept_memory.
kept_lines read_all_lines(const lines_arguments &arguments, const std::string &what);

// Writes lines with their ends, or as a JSON array.
class line_writer {
public:
	explicit line_writer(const lines_arguments &arguments);

	void put(std::string_view line);
	void put(const wide_range &numbers, std::uint64_t place);
	void finish();

private:
	void flush();

	const lines_arguments &arguments_;
	output out_;
	std::string buffer_;
	bool any_ = false;
};

// Print no line: the input is not opened.  Throws usage_error.
void print_none(const lines_arguments &arguments);

// --repeat: print `count` lines, each chosen independently.  Throws usage_error or runtime_failure.
void print_repeated(const lines_arguments &arguments, random_source &source, amount count);

// The same without repetition, for --input-range, in a random order.
void print_some_numbers(const lines_arguments &arguments, random_source &source, const amount &count);

// The bytes of memory that this takes, at most 2^64 - 1: the caller decides whether it is too much.
std::uint64_t memory_of_numbers(const lines_arguments &arguments, const amount &count);

#endif
