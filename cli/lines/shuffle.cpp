// SPDX-License-Identifier: BSD-2-Clause
// cprng shuffle: lines in a random order.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include <unistd.h>

#include "common/buffer.hpp"
#include "common/error.hpp"
#include "common/quantity.hpp"
#include "lines/lines.hpp"
#include "lines/permutation.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"

namespace {

struct shuffle_arguments {
	lines_arguments lines;
	std::optional<std::string> memory;
	std::optional<std::string> directory;
	std::optional<std::string> count;
	seed_options seed;
};

// A quarter of the machine's memory: lines sometimes take twice their size, and other programs need memory.
std::uint64_t usual_memory()
{
	constexpr std::uint64_t least = std::uint64_t{ 64 } << 20;
	const long pages = sysconf(_SC_PHYS_PAGES);
	const long page = sysconf(_SC_PAGESIZE);
	if (pages <= 0 || page <= 0)
		return least;
	return std::max(least, static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page) / 4);
}

std::string usual_directory()
{
	const char *directory = std::getenv("TMPDIR");
	return directory != nullptr && *directory != '\0' ? directory : "/tmp";
}

int run_shuffle(const shuffle_arguments &arguments)
{
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	std::uint64_t memory = arguments.memory ? parse_size("--memory", *arguments.memory) : usual_memory();
	// Temporary files change the order, so with a seed it would depend on the machine's memory.
	if (has_seed(arguments.seed)) {
		if (arguments.memory)
			throw usage_error(
				"--memory and --seed exclude each other: with a seed all lines are kept in memory");
		memory = std::numeric_limits<std::uint64_t>::max();
	}
	if (arguments.directory && arguments.directory->empty())
		throw usage_error("--directory: the name is empty");
	amount left = arguments.count ? parse_amount("--count", *arguments.count) : amount::endless();
	if (arguments.lines.repeat) {
		if (arguments.memory)
			throw usage_error(
				"--memory and --repeat exclude each other: lines that may repeat are kept in memory");
		if (!arguments.count)
			throw usage_error("--repeat needs --count, which may be inf");
		print_repeated(arguments.lines, *source, left);
		return 0;
	}
	// With a seed, make the whole order and print its beginning, so that --count does not change which lines come first.
	if (arguments.count && arguments.lines.numbers && !has_seed(arguments.seed)) {
		print_some_numbers(arguments.lines, *source, left);
		return 0;
	}
	// The input is read in pieces of usual_size, whatever the memory.
	const auto longest =
		static_cast<std::size_t>(std::clamp<std::uint64_t>(memory, wiped_buffer::usual_size, longest_line));
	permutation order(*source, memory, arguments.directory ? *arguments.directory : usual_directory());
	read_lines(
		arguments.lines, [&](std::string_view line) { order.add(line); }, longest,
		[&](std::uint64_t lines, std::uint64_t bytes) { order.expect(lines, bytes); });
	line_writer writer(arguments.lines);
	order.take([&](std::string_view line) {
		if (left.take(1) > 0)
			writer.put(line);
	});
	writer.finish();
	return 0;
}

} // namespace

void add_shuffle(command_line &line)
{
	auto arguments = std::make_shared<shuffle_arguments>();
	command &command = line.add("Lines", "shuffle", "lines in a random order, all orders equally likely",
				    [arguments] { return run_shuffle(*arguments); });
	add_lines_arguments(command, arguments->lines);
	command.option("-n,--count", arguments->count, "COUNT", "no more than so many lines (all)");
	command.option("--memory", arguments->memory, "SIZE",
		       "beyond it lines go to temporary files (a quarter of the machine's)");
	command.option("--directory", arguments->directory, "FILE",
		       "where temporary files are made ($TMPDIR, or /tmp)");
	add_seed_options(command, arguments->seed);
	command.example("cprng shuffle words.txt", "");
	command.example("cprng shuffle -e anna bert carl", "in which order they play");
	command.example("cprng shuffle -i 1-49 -n 6", "six numbers of a lottery");
	command.example("cprng shuffle --memory 1G big.txt -o big.txt",
			"a file that is larger than memory, in its place");
}
