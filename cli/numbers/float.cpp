// SPDX-License-Identifier: BSD-2-Clause
// cprng float: real numbers in [0, 1).
#include <memory>

#include <fmt/format.h>

#include "commands.hpp"
#include "common/source.hpp"
#include "output/values.hpp"

namespace {

int run_float(const values_arguments &arguments)
{
	random_source &source = system_source();
	print_values(arguments, [&](value_writer &writer) {
		fmt::memory_buffer text;
		// The shortest digits that give the same double again.
		fmt::format_to(std::back_inserter(text), "{}", source.unit());
		writer.put({ text.data(), text.size() });
	});
	return 0;
}

} // namespace

void add_float(command_line &line)
{
	auto arguments = std::make_shared<values_arguments>();
	command &command = line.add("Numbers", "float", "real numbers from 0 to 1, 1 excluded",
				    [arguments] { return run_float(*arguments); });
	add_values_arguments(command, *arguments, "numbers");
	command.note("Multiples of 2^-53, all equally likely, with as many digits as give the same double again.");
	command.example("cprng float -n 1000 > uniform.txt", "a thousand numbers");
}
