// SPDX-License-Identifier: BSD-2-Clause
// cprng float: real numbers in [0, 1).
#include <memory>

#include <fmt/format.h>

#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "shell/values.hpp"

namespace {

struct float_arguments {
	values_arguments values;
	seed_options seed;
};

int run_float(const float_arguments &arguments)
{
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	print_values(arguments.values, [&](value_writer &writer) {
		fmt::memory_buffer text;
		// The shortest digits that round to the same double.
		fmt::format_to(std::back_inserter(text), "{}", source->unit());
		writer.put({ text.data(), text.size() });
	});
	return 0;
}

} // namespace

void add_float(command_line &line)
{
	auto arguments = std::make_shared<float_arguments>();
	command &command = line.add("Numbers", "float", "real numbers from 0 to 1, 1 excluded",
				    [arguments] { return run_float(*arguments); });
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.note("Multiples of 2^-53, all equally likely, with as many digits as give the same double again.");
	command.example("cprng float -n 1000 > uniform.txt", "a thousand numbers");
}
