// SPDX-License-Identifier: BSD-2-Clause
#include "lines/lines.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "common/buffer.hpp"
#include "common/draws.hpp"
#include "common/error.hpp"
#include "common/json.hpp"
#include "system/system.hpp"

namespace {

// The characters of a 64-bit number with a sign.
using number_text = std::array<char, 20>;

std::string_view as_text(const wide_range &numbers, std::uint64_t place, number_text &text)
{
	const std::uint64_t number = numbers.low + place;
	char *const begin = text.data(), *const end = begin + text.size();
	const std::to_chars_result done = numbers.is_signed ?
						  std::to_chars(begin, end, static_cast<std::int64_t>(number)) :
						  std::to_chars(begin, end, number);
	return { begin, static_cast<std::size_t>(done.ptr - begin) };
}

// Passes to expect() the count of numbers and the most characters that they have: one end of the range is the longest number.
void expect_numbers(const wide_range &numbers, const std::function<void(std::uint64_t, std::uint64_t)> &expect)
{
	// With at most 20 characters and 16 bytes for the offsets of each, sums of this many stay below 2^64.
	constexpr std::uint64_t most = std::uint64_t{ 1 } << 58;
	const std::uint64_t count = std::min(numbers.count_or_max(), most);
	number_text text;
	const std::size_t first = as_text(numbers, 0, text).size();
	expect(count, count * std::max(first, as_text(numbers, numbers.last, text).size()));
}

// Whether an array of all numbers takes less memory than a table of the drawn ones.
bool is_array_less(const wide_range &numbers, const amount &count)
{
	return numbers.count_or_max() / (distinct_bytes / sizeof(std::uint64_t)) <= count.value();
}

// Throws usage_error for lines from two sources.
void check_operands(const lines_arguments &arguments)
{
	if (arguments.numbers && (arguments.echo || !arguments.operands.empty()))
		throw usage_error("--input-range excludes --echo and FILE");
	if (!arguments.echo && arguments.operands.size() > 1)
		throw usage_error(fmt::format(
			"unexpected argument {}: one FILE is read, or with --echo the operands are the lines",
			quote(arguments.operands[1])));
}

} // namespace

void add_lines_arguments(command &command, lines_arguments &arguments)
{
	command.positional("FILE", arguments.operands, "file of lines; without it, or for -, standard input");
	command.flag("-e,--echo", arguments.echo, "the operands are the lines");
	command.option("-i,--input-range", arguments.numbers, "LO-HI", "the numbers from LO to HI are the lines");
	command.flag("-r,--repeat", arguments.repeat, "choose each line independently: lines may repeat");
	command.flag("-z,--zero", arguments.zero, "lines end with a zero byte, not with a newline");
	command.option("-o,--output", arguments.output.file, "FILE", "write to FILE, not to standard output (-)");
	command.flag("--json", arguments.json, "print a JSON array");
}

line_reader::line_reader(const input &from, char end, std::size_t longest) : from_(from), end_(end), longest_(longest)
{
}

// Append more input to the buffer.  Returns false at the end of the input.
bool line_reader::fill()
{
	if (begin_ > 0) {
		std::memmove(buffer_.data(), buffer_.data() + begin_, used_ - begin_);
		used_ -= begin_;
		begin_ = 0;
	}
	if (buffer_.size() - used_ < wiped_buffer::usual_size)
		buffer_.resize(std::min(std::max(2 * buffer_.size(), used_ + wiped_buffer::usual_size),
					longest_ + 2 * wiped_buffer::usual_size));
	const std::size_t got = from_.read(buffer_.data() + used_, buffer_.size() - used_);
	used_ += got;
	return got > 0;
}

std::string_view line_reader::take(std::size_t length, std::size_t with_end)
{
	taken_++;
	if (lines_end_in_crlf && end_ == '\n' && with_end > length && length > 0 &&
	    buffer_[begin_ + length - 1] == '\r')
		length--;
	if (length > longest_)
		throw runtime_failure(
			fmt::format("{}: line {} is longer than {} bytes", from_.name(), taken_, longest_));
	const std::string_view line(buffer_.data() + begin_, length);
	begin_ += with_end;
	return line;
}

std::optional<std::string_view> line_reader::next()
{
	std::size_t looked = begin_;
	for (;;) {
		const char *from = buffer_.data() + looked;
		const void *found = used_ > looked ? std::memchr(from, end_, used_ - looked) : nullptr;
		if (found != nullptr) {
			const auto length =
				static_cast<std::size_t>(static_cast<const char *>(found) - buffer_.data()) - begin_;
			return take(length, length + 1);
		}
		const std::size_t seen = used_ - begin_;
		if (seen > longest_)
			return take(seen, seen);
		if (is_over_ || !fill()) {
			is_over_ = true;
			if (seen == 0)
				return std::nullopt;
			// The last line may lack its end.
			return take(seen, seen);
		}
		looked = begin_ + seen;
	}
}

wide_range chosen_numbers(const lines_arguments &arguments)
{
	check_operands(arguments);
	return parse_wide_range("--input-range", arguments.numbers.value());
}

std::uint64_t part_of_memory(unsigned int divisor)
{
	// As small machines have today.
	constexpr std::uint64_t unknown = std::uint64_t{ 256 } << 20;
	const std::uint64_t usable = usable_memory();
	return (usable == 0 ? unknown : usable) / divisor;
}

kept_memory::kept_memory(std::string what) : what_(std::move(what)), most_(part_of_memory(2))
{
}

bool kept_memory::has_room(std::uint64_t count, std::uint64_t each) const
{
	return count <= most_ / each;
}

void kept_memory::expect(std::uint64_t count, std::uint64_t each) const
{
	if (!has_room(count, each))
		fail();
}

void kept_memory::add(std::uint64_t bytes, std::uint64_t instead)
{
	used_ += bytes - instead;
	if (used_ > most_)
		fail();
}

void kept_memory::fail() const
{
	throw runtime_failure(fmt::format("{} are kept in memory, and take more than {}, half of the memory", what_,
					  readable_size(most_)));
}

void read_lines(const lines_arguments &arguments, const std::function<void(std::string_view)> &take,
		std::size_t longest, const std::function<void(std::uint64_t lines, std::uint64_t bytes)> &expect)
{
	check_operands(arguments);
	if (arguments.numbers) {
		const wide_range numbers = chosen_numbers(arguments);
		if (expect)
			expect_numbers(numbers, expect);
		number_text text;
		for (std::uint64_t i = 0;; i++) {
			take(as_text(numbers, i, text));
			if (i == numbers.last)
				return;
		}
	}
	// Refuse unprintable lines before the output is touched.
	const auto checked = [&](std::string_view line) {
		if (arguments.json)
			json_string("a line", line);
		take(line);
	};
	if (arguments.echo) {
		for (const std::string &operand : arguments.operands)
			checked(operand);
		return;
	}
	const input from = input::file_or_standard(arguments.operands.empty() ? "-" : arguments.operands[0]);
	// The number of lines is unknown, but above one, because a single line would be too long.  The temporary files have lengths
	// instead of line ends, which take more space.
	if (const std::uint64_t size = size_left(from.descriptor()); expect && size > longest)
		expect(0, size);
	line_reader reader(from, arguments.end(), longest);
	while (auto line = reader.next())
		checked(*line);
}

kept_lines read_all_lines(const lines_arguments &arguments, const std::string &what)
{
	kept_lines lines;
	kept_memory kept(what);
	read_lines(arguments, [&](std::string_view line) {
		kept.add(line.size() + sizeof(std::uint64_t));
		lines.add(line);
	});
	return lines;
}

line_writer::line_writer(const lines_arguments &arguments)
    : arguments_(arguments), out_(arguments.output), buffer_(arguments.json ? "[" : "")
{
}

void line_writer::put(std::string_view line)
{
	if (arguments_.json) {
		if (any_)
			buffer_ += ", ";
		buffer_ += json_string("a line", line);
	} else {
		buffer_ += line;
		buffer_ += arguments_.end();
	}
	any_ = true;
	if (buffer_.size() >= wiped_buffer::usual_size)
		flush();
}

void line_writer::put(const wide_range &numbers, std::uint64_t place)
{
	number_text text;
	put(as_text(numbers, place, text));
}

void line_writer::flush()
{
	out_.write(buffer_);
	buffer_.clear();
}

void line_writer::finish()
{
	if (arguments_.json)
		buffer_ += "]\n";
	flush();
	out_.finish();
}

void print_none(const lines_arguments &arguments)
{
	check_operands(arguments);
	if (arguments.numbers)
		chosen_numbers(arguments);
	line_writer(arguments).finish();
}

void print_repeated(const lines_arguments &arguments, random_source &source, amount count)
{
	if (arguments.json && count.is_endless())
		throw usage_error("--count: inf and --json exclude each other where lines are repeated");
	if (arguments.numbers) {
		const wide_range numbers = chosen_numbers(arguments);
		line_writer writer(arguments);
		block_source blocks(source, numbers.last + 1);
		while (count.take(1) > 0)
			writer.put(numbers, draw_up_to(blocks, numbers.last));
		writer.finish();
		return;
	}
	const kept_lines lines = read_all_lines(arguments, "with --repeat all lines");
	if (lines.size() == 0)
		throw runtime_failure("--repeat: the input has no lines");
	line_writer writer(arguments);
	block_source blocks(source, lines.size());
	while (count.take(1) > 0)
		writer.put(lines[static_cast<std::size_t>(blocks.below(lines.size()))]);
	writer.finish();
}

void print_some_numbers(const lines_arguments &arguments, random_source &source, const amount &count)
{
	const wide_range numbers = chosen_numbers(arguments);
	line_writer writer(arguments);
	const auto put = [&](std::uint64_t i) { writer.put(numbers, i); };
	if (is_array_less(numbers, count))
		draw_from_all(source, numbers.last, count.value(), put);
	else
		draw_distinct(source, numbers.last, count.value(), put);
	writer.finish();
}

std::uint64_t memory_of_numbers(const lines_arguments &arguments, const amount &count)
{
	const wide_range numbers = chosen_numbers(arguments);
	const bool is_array = is_array_less(numbers, count);
	const std::uint64_t kept = is_array ? numbers.count_or_max() : count.value();
	const std::uint64_t each = is_array ? sizeof(std::uint64_t) : distinct_bytes;
	return kept > UINT64_MAX / each ? UINT64_MAX : kept * each;
}
