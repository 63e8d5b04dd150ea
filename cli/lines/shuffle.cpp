// SPDX-License-Identifier: BSD-2-Clause
// cprng shuffle: lines in a random order.
#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "common/buffer.hpp"
#include "common/draws.hpp"
#include "common/error.hpp"
#include "common/quantity.hpp"
#include "lines/lines.hpp"
#include "lines/permutation.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "system/system.hpp"

namespace {

// Lines sometimes take twice their size, and other programs need memory.
constexpr unsigned int memory_divisor = 4;

struct shuffle_arguments {
	lines_arguments lines;
	std::optional<std::string> memory;
	std::optional<std::string> directory;
	std::optional<std::string> count;
	seed_options seed;
};

// With a seed all numbers are put in order, and the first `left` are printed: --count does not change which come first.
void print_seeded_numbers(const lines_arguments &arguments, random_source &source, amount left)
{
	const wide_range numbers = chosen_numbers(arguments);
	kept_memory("with --seed all numbers of --input-range").expect(numbers.count_or_max(), sizeof(std::uint64_t));
	std::vector<std::uint64_t> places(static_cast<std::size_t>(numbers.last + 1));
	std::iota(places.begin(), places.end(), 0);
	source.order(places.data(), places.size());
	line_writer writer(arguments);
	for (std::uint64_t place : places)
		if (left.take(1) > 0)
			writer.put(numbers, place);
	writer.finish();
}

// With a seed all lines stay in memory: temporary files change the order, which must not depend on the machine's memory.
std::uint64_t chosen_memory(const shuffle_arguments &arguments)
{
	const std::uint64_t memory = arguments.memory ? parse_size("--memory", *arguments.memory) :
							part_of_memory(memory_divisor);
	if (!has_seed(arguments.seed))
		return memory;
	if (arguments.memory)
		throw usage_error("--memory and --seed exclude each other: with a seed all lines are kept in memory");
	return std::numeric_limits<std::uint64_t>::max();
}

amount chosen_count(const shuffle_arguments &arguments)
{
	const amount count = arguments.count ? parse_amount("--count", *arguments.count) : amount::endless();
	if (!arguments.lines.repeat)
		return count;
	if (arguments.memory)
		throw usage_error("--memory and --repeat exclude each other: lines that may repeat are kept in memory");
	if (!arguments.count)
		throw usage_error("--repeat needs --count, which may be inf");
	return count;
}

// Whether these numbers are drawn one by one; otherwise they are lines like others.
bool are_drawn(const shuffle_arguments &arguments, std::uint64_t memory, const amount &count)
{
	if (!arguments.lines.numbers)
		return false;
	const std::uint64_t wanted = memory_of_numbers(arguments.lines, count);
	return wanted <= memory || (arguments.count && kept_memory({}).has_room(1, wanted));
}

void print_shuffled(const shuffle_arguments &arguments, random_source &source, std::uint64_t memory, amount left)
{
	// The input is read in pieces of usual_size, whatever the memory.
	const auto longest =
		static_cast<std::size_t>(std::clamp<std::uint64_t>(memory, wiped_buffer::usual_size, longest_line));
	permutation order(source, memory, arguments.directory ? *arguments.directory : temporary_directory());
	kept_memory kept("with --seed all lines");
	const auto take = [&](std::string_view line) {
		if (has_seed(arguments.seed))
			kept.add(line.size() + 2 * sizeof(std::uint64_t));
		order.add(line);
	};
	read_lines(arguments.lines, take, longest,
		   [&](std::uint64_t lines, std::uint64_t bytes) { order.expect(lines, bytes); });
	line_writer writer(arguments.lines);
	order.take([&](std::string_view line) {
		if (left.take(1) > 0)
			writer.put(line);
	});
	writer.finish();
}

int run_shuffle(const shuffle_arguments &arguments)
{
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	const std::uint64_t memory = chosen_memory(arguments);
	if (arguments.directory && arguments.directory->empty())
		throw usage_error("--directory: the name is empty");
	const amount count = chosen_count(arguments);
	if (!count.any())
		print_none(arguments.lines);
	else if (arguments.lines.repeat)
		print_repeated(arguments.lines, *source, count);
	else if (arguments.lines.numbers && has_seed(arguments.seed))
		print_seeded_numbers(arguments.lines, *source, count);
	else if (are_drawn(arguments, memory, count))
		print_some_numbers(arguments.lines, *source, count);
	else
		print_shuffled(arguments, *source, memory, count);
	return 0;
}

} // namespace

void add_shuffle(command_line &line)
{
	auto arguments = std::make_shared<shuffle_arguments>();
	command &command = line.add("Lines", "shuffle", "lines in a random order, all orders equally likely",
				    [arguments] { return run_shuffle(*arguments); });
	add_lines_arguments(command, arguments->lines);
	command.option("-n,--count", arguments->count, "COUNT", "at most so many lines (all)");
	command.option("--memory", arguments->memory, "SIZE",
		       "memory for lines, beyond which they go to temporary files (a quarter)");
	command.option("--directory", arguments->directory, "FILE",
		       fmt::format("where temporary files are made ({})", temporary_directory_note));
	add_seed_options(command, arguments->seed);
	command.example("cprng shuffle words.txt", "");
	command.example("cprng shuffle -e anna bert carl", "in which order they play");
	command.example("cprng shuffle -i 1-49 -n 6", "six numbers of a lottery");
	command.example("cprng shuffle --memory 1G big.txt -o big.txt",
			"a file that is larger than memory, in its place");
}
