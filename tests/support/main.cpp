// SPDX-License-Identifier: BSD-2-Clause
// PROGRAM [--seed=N] [--seconds=N] [--large] [options of the program's parts] [options of doctest]
//
// --large, or CPRNG_TEST_LARGE=1 in the environment: use the full volumes (run.hpp).
#include "doctest/doctest.h"

#include "program.hpp"
#include "run.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

std::uint64_t run::seed;
double run::seconds;

namespace {

// Parts register themselves before main, in any order.
std::vector<program::Part> &parts()
{
	static std::vector<program::Part> all;

	return all;
}

bool takes(char *argument)
{
	std::string value;

	if (program::has_value(argument, "--seed=", &value)) {
		run::seed = std::strtoull(value.c_str(), nullptr, 0);
		return true;
	}
	if (program::has_value(argument, "--seconds=", &value)) {
		run::seconds = std::strtod(value.c_str(), nullptr);
		return true;
	}
	for (const program::Part &part : parts()) {
		if (part.takes != nullptr && part.takes(argument))
			return true;
	}
	return run::takes_large(argument);
}

} // namespace

bool program::add(const Part &part)
{
	parts().push_back(part);
	return true;
}

bool program::has_value(const std::string &argument, const char *option, std::string *value)
{
	if (argument.rfind(option, 0) != 0)
		return false;
	*value = argument.substr(std::strlen(option));
	return true;
}

int main(int argc, char **argv)
{
	for (const program::Part &part : parts()) {
		const int status = part.instead != nullptr ? part.instead(argc, argv) : -1;
		if (status >= 0)
			return status;
	}

	std::random_device device;
	std::vector<char *> rest{ argv[0] };
	run::seed = static_cast<std::uint64_t>(device()) << 32 | device();
	for (int i = 1; i < argc; i++) {
		if (!takes(argv[i]))
			rest.push_back(argv[i]);
	}

	doctest::Context context;
	std::string options;
	if (run::seconds > 0)
		options = " --seconds=" + std::to_string(run::seconds);
	std::printf("seed %llu\n", static_cast<unsigned long long>(run::seed));
	std::fflush(stdout); // otherwise a child of a part that forks would flush it again
	for (const program::Part &part : parts()) {
		const int status = part.begin != nullptr ? part.begin(context) : 0;
		if (status != 0)
			return status;
		options += part.options != nullptr ? part.options() : "";
	}
	if (run::seconds <= 0)
		run::seconds = run::volume(0.2, 4.0);
	std::fflush(stdout);

	context.applyCommandLine(static_cast<int>(rest.size()), rest.data());
	const int status = context.run();
	if (status != 0)
		std::printf("repeat with --seed=%llu%s\n", static_cast<unsigned long long>(run::seed), options.c_str());
	return status;
}
