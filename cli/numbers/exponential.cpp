// SPDX-License-Identifier: BSD-2-Clause
// cprng exponential: exponentially distributed real numbers.
#include <cmath>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "common/error.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "shell/values.hpp"

namespace {

struct exponential_arguments {
	values_arguments values;
	seed_options seed;
	std::string mean = "1";
};

// A number of 64 random bits is at most 64 ln 2 times the mean, below 45.
constexpr double most_means = 64;

int run_exponential(const exponential_arguments &arguments)
{
	const double mean = parse_real("--mean", arguments.mean);
	if (mean < 0)
		throw usage_error(fmt::format("--mean: {} is negative", quote(arguments.mean)));
	// JSON has no infinity.
	if (!std::isfinite(most_means * mean))
		throw usage_error(fmt::format("--mean: numbers with the mean {} can be beyond the range of a double",
					      quote(arguments.mean)));
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	print_values(arguments.values, [&](value_writer &writer) {
		fmt::memory_buffer text;
		fmt::format_to(std::back_inserter(text), "{}", source->exponential(mean));
		writer.put({ text.data(), text.size() });
	});
	return 0;
}

} // namespace

void add_exponential(command_line &line)
{
	auto arguments = std::make_shared<exponential_arguments>();
	command &command = line.add("Numbers", "exponential", "exponentially distributed numbers",
				    [arguments] { return run_exponential(*arguments); });
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.option("--mean", arguments->mean, "NUMBER", "their mean: 1 divided by the rate (1)");
	command.note("Those of cprng_exponential(3); with --seed those of cprng_stream_exponential(3).");
	command.example("cprng exponential -n 1000 --mean 0.5", "times between events, two in the mean each second");
}
