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
	// LO-HI: the range's numbers are the lines.
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

// The bytes of a line at most: far more than text has, and little compared with any machine's memory.
constexpr std::size_t longest_line = std::size_t{ 64 } << 20;

void add_lines_arguments(command &command, lines_arguments &arguments);

class line_reader {
public:
	// The caller keeps ownership of the input.  longest: bytes of a line at most.
	line_reader(const input &from, char end, std::size_t longest);

	// The next line without its end; valid until the next call.  Nothing at the end of the input.  Throws runtime_failure,
	// also for a line that is too long.
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

// That part of the memory that this process may use: beyond some of it this or other programs would be ended.
std::uint64_t part_of_memory(unsigned int divisor);

// Counts what is kept in memory, up to half of usable_memory().
class kept_memory {
public:
	// what: "with --seed all lines"
	explicit kept_memory(std::string what);

	bool has_room(std::uint64_t count, std::uint64_t each) const;
	// Throws runtime_failure if that many of that many bytes each do not fit.
	void expect(std::uint64_t count, std::uint64_t each) const;
	// The same for lines that come one after the other, each in the place of `instead` bytes.
	void add(std::uint64_t bytes, std::uint64_t instead = 0);

private:
	[[noreturn]] void fail() const;

	std::string what_;
	std::uint64_t most_;
	std::uint64_t used_ = 0;
};

// Pass every line to take(): of the files or standard input, the operands (--echo), or the range's numbers.  For numbers
// and regular files expect() is called first: as many lines and bytes will come, or more.  Throws runtime_failure for a
// line of the input that is longer than `longest` bytes.
void read_lines(const lines_arguments &arguments, const std::function<void(std::string_view)> &take,
		std::size_t longest = longest_line,
		const std::function<void(std::uint64_t lines, std::uint64_t bytes)> &expect = {});

// All of these lines.  what: for the message of kept_memory, which it throws.
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

// The bytes that this takes, or 2^64 - 1 for more: the caller decides whether they may be kept.
std::uint64_t memory_of_numbers(const lines_arguments &arguments, const amount &count);

#endif
