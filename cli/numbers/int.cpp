// SPDX-License-Identifier: BSD-2-Clause
// cprng int: integers of a range.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "common/draws.hpp"
#include "common/error.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "shell/values.hpp"

namespace {

struct int_arguments {
	values_arguments values;
	seed_options seed;
	std::string low;
	std::optional<std::string> high;
};

range chosen_range(const int_arguments &arguments)
{
	const bool is_range = arguments.low.find("..") != std::string::npos ||
			      arguments.low.find('-', 1) != std::string::npos;
	if (!arguments.high && is_range)
		return parse_range("LO", arguments.low);
	const std::int64_t low = parse_signed("LO", arguments.low);
	// In other programs a single number is the lower bound, the upper bound, or the count.
	if (!arguments.high)
		throw usage_error(fmt::format("HI is required: 'cprng int 1 {0}' is from 1 to {0}, "
					      "'cprng int 0 {0}' from 0 to {0} (see cprng int --help)",
					      std::max<std::int64_t>(low, 1)));
	const std::int64_t high = parse_signed("HI", *arguments.high);
	if (low > high)
		throw usage_error(fmt::format("LO is {} and HI is {}: there is no number between them", low, high));
	return { low, high };
}

int run_int(const int_arguments &arguments)
{
	const range numbers = chosen_range(arguments);
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	print_values(arguments.values, [&](value_writer &writer) {
		const fmt::format_int text(draw_between(*source, numbers.low, numbers.high));
		writer.put({ text.data(), text.size() });
	});
	return 0;
}

} // namespace

void add_int(command_line &line)
{
	auto arguments = std::make_shared<int_arguments>();
	command &command = line.add("Numbers", "int", "integers from LO to HI, both included",
				    [arguments] { return run_int(*arguments); });
	command.positional("LO", arguments->low, "the least number, -2^63 or more; LO-HI and LO..HI are taken as well");
	command.positional("HI", arguments->high, "the greatest number, up to 2^63 - 1");
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.example("cprng int 1 6", "a throw of a die");
	command.example("cprng int 1-6", "the same");
	command.example("cprng int -100 100 -n 10 --json", "ten numbers for a program");
}
