// SPDX-License-Identifier: BSD-2-Clause
// cprng pick: a random sample of the lines.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/quantity.hpp"
#include "common/source.hpp"
#include "lines/lines.hpp"
#include "lines/reservoir.hpp"
#include "shell/commands.hpp"

namespace {

struct pick_arguments {
	lines_arguments lines;
	std::string count = "1";
};

int run_pick(const pick_arguments &arguments)
{
	const amount count = parse_amount("--count", arguments.count);
	if (arguments.lines.repeat) {
		print_repeated(arguments.lines, system_source(), count);
		return 0;
	}
	if (arguments.lines.numbers) {
		print_some_numbers(arguments.lines, system_source(), count);
		return 0;
	}
	reservoir chosen(system_source(), count.value());
	read_lines(arguments.lines, [&](std::string_view line) { chosen.add(line); });
	line_writer writer(arguments.lines);
	for (const std::string &line : chosen.take())
		writer.put(line);
	writer.finish();
	return 0;
}

} // namespace

void add_pick(command_line &line)
{
	auto arguments = std::make_shared<pick_arguments>();
	command &command = line.add("Lines", "pick", "some of the lines, each at most once but for -r",
				    [arguments] { return run_pick(*arguments); });
	add_lines_arguments(command, arguments->lines);
	command.option("-n,--count", arguments->count, "COUNT", "how many (1); all if there are fewer");
	command.note("In a random order.  Input of any length takes only the memory of the lines that are kept.");
	command.example("cprng pick words.txt", "one line");
	command.example("cprng pick -n 3 -e anna bert carl dora", "three of four");
	command.example("cprng pick -e heads tails", "a coin");
	command.example("cprng pick -n 6 -i 1-49", "six numbers of a lottery");
}
