// SPDX-License-Identifier: BSD-2-Clause
// cprng pick: a random sample of the lines.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "common/quantity.hpp"
#include "common/source.hpp"
#include "lines/lines.hpp"
#include "lines/reservoir.hpp"
#include "lines/weighted.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"

namespace {

struct pick_arguments {
	lines_arguments lines;
	std::string count = "1";
	bool weighted = false;
	seed_options seed;
};

// The indexes that cprng_stream_sample() chooses of n lines or numbers.
std::vector<std::uint64_t> seeded_places(const seed_options &seed, const amount &count, std::uint64_t n)
{
	const std::uint64_t wanted = std::min(count.value(), n);
	kept_memory("the numbers of --count").expect(wanted, sizeof(std::uint64_t));
	cprng_stream stream = open_seed(seed, nullptr);
	std::vector<std::uint64_t> places(static_cast<std::size_t>(wanted));
	const int error = cprng_stream_sample(&stream, places.data(), places.size(), n);
	cprng_stream_wipe(&stream);
	check_library("--seed", error);
	return places;
}

void print_seeded(const pick_arguments &arguments, const amount &count)
{
	if (arguments.lines.numbers) {
		const wide_range numbers = chosen_numbers(arguments.lines);
		if (numbers.last == UINT64_MAX)
			throw usage_error("--input-range: --seed allows at most 2^64 - 1 numbers");
		const std::vector<std::uint64_t> places = seeded_places(arguments.seed, count, numbers.last + 1);
		line_writer writer(arguments.lines);
		for (std::uint64_t place : places)
			writer.put(numbers, place);
		writer.finish();
		return;
	}
	const kept_lines lines = read_all_lines(arguments.lines, "with --seed all lines");
	const std::vector<std::uint64_t> places = seeded_places(arguments.seed, count, lines.size());
	line_writer writer(arguments.lines);
	for (std::uint64_t place : places)
		writer.put(lines[static_cast<std::size_t>(place)]);
	writer.finish();
}

// Print `count` lines by their weights: with --repeat independent ones, else each at most once, the next one by the weights of
// the lines that are left.
void print_weighted(const pick_arguments &arguments, random_source &source, amount count)
{
	if (arguments.lines.numbers)
		throw usage_error("--weighted: the lines of --input-range have no weights");
	if (arguments.lines.json && arguments.lines.repeat && count.is_endless())
		throw usage_error("--count: inf and --json exclude each other where lines are repeated");
	kept_lines lines;
	std::vector<std::uint64_t> weights;
	kept_memory kept("with --weighted all lines");
	read_lines(arguments.lines, [&](std::string_view line) {
		kept.add(line.size() + sizeof(std::uint64_t) + weighted_choice::element_bytes);
		const weighted_text one = parse_weighted(lines.size() + 1, line);
		lines.add(one.text);
		weights.push_back(one.weight);
	});
	weighted_choice choice(source, std::move(weights), arguments.lines.repeat);
	line_writer writer(arguments.lines);
	while (count.any() && choice.any()) {
		count.take(1);
		writer.put(lines[choice.take()]);
	}
	writer.finish();
}

int run_pick(const pick_arguments &arguments)
{
	const amount count = parse_amount("--count", arguments.count);
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	if (!count.any()) {
		print_none(arguments.lines);
	} else if (arguments.weighted) {
		print_weighted(arguments, *source, count);
	} else if (arguments.lines.repeat) {
		print_repeated(arguments.lines, *source, count);
	} else if (has_seed(arguments.seed)) {
		print_seeded(arguments, count);
	} else if (arguments.lines.numbers) {
		kept_memory("the numbers of --count").expect(1, memory_of_numbers(arguments.lines, count));
		print_some_numbers(arguments.lines, *source, count);
	} else {
		reservoir chosen(*source, count.value());
		read_lines(arguments.lines, [&](std::string_view line) { chosen.add(line); });
		line_writer writer(arguments.lines);
		for (const std::string &line : chosen.take())
			writer.put(line);
		writer.finish();
	}
	return 0;
}

} // namespace

void add_pick(command_line &line)
{
	auto arguments = std::make_shared<pick_arguments>();
	command &command = line.add("Lines", "pick", "a sample of the lines, each at most once unless with -r",
				    [arguments] { return run_pick(*arguments); });
	add_lines_arguments(command, arguments->lines);
	command.option("-n,--count", arguments->count, "COUNT", "how many (1); all if there are fewer");
	command.flag("-w,--weighted", arguments->weighted, "each line ends with its weight, as in red=70 or red 70");
	add_seed_options(command, arguments->seed);
	command.note(
		"The order is random.  Only the chosen lines are kept in memory, but with --seed, -r or -w all lines are.\n"
		"A weight is a whole number; a line's probability is exactly its weight divided by the sum of all.");
	command.example("cprng pick words.txt", "one line");
	command.example("cprng pick -n 3 -e anna bert carl dora", "three of four");
	command.example("cprng pick -e heads tails", "a coin");
	command.example("cprng pick -n 6 -i 1-49", "six numbers of a lottery");
	command.example("cprng pick -w -e red=70 blue=25 green=5", "red in 70 of 100 cases");
}
