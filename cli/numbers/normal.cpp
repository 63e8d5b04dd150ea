// SPDX-License-Identifier: BSD-2-Clause
// cprng normal: normally distributed real numbers.
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "common/error.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "shell/values.hpp"

namespace {

struct normal_arguments {
	values_arguments values;
	seed_options seed;
	std::string mean = "0";
	std::string deviation = "1";
};

// A number is further from the mean with probability below 2^-2950.
constexpr double most_deviations = 64;

int run_normal(const normal_arguments &arguments)
{
	const double mean = parse_real("--mean", arguments.mean);
	const double deviation = parse_real("--deviation", arguments.deviation);
	if (deviation < 0)
		throw usage_error(fmt::format("--deviation: {} is negative", quote(arguments.deviation)));
	// JSON has no infinity.
	if (!std::isfinite(std::fabs(mean) + most_deviations * deviation))
		throw usage_error(
			fmt::format("--deviation: numbers with the mean {} and the deviation {} can be beyond "
				    "the range of a double",
				    quote(arguments.mean), quote(arguments.deviation)));
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	print_values(arguments.values, [&](value_writer &writer) {
		fmt::memory_buffer text;
		fmt::format_to(std::back_inserter(text), "{}", source->normal(mean, deviation));
		writer.put({ text.data(), text.size() });
	});
	return 0;
}

} // namespace

void add_normal(command_line &line)
{
	auto arguments = std::make_shared<normal_arguments>();
	command &command = line.add("Numbers", "normal", "normally distributed numbers",
				    [arguments] { return run_normal(*arguments); });
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.option("--mean", arguments->mean, "NUMBER", "their mean (0)");
	command.option("--deviation", arguments->deviation, "NUMBER", "their standard deviation (1)");
	command.note("Those of cprng_normal(3); with --seed those of cprng_stream_normal(3).");
	command.example("cprng normal -n 1000 --mean 100 --deviation 15", "a thousand numbers");
}
