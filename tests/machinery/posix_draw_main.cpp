// SPDX-License-Identifier: BSD-2-Clause
// draw [--seed=N] [options of doctest]
//
// The tests of draws that replace nothing of the system below (tests/machinery/draw_main.cpp has all of them).
#include "doctest/doctest.h"

#include "faults.hpp"
#include "fork_forms.hpp"
#include "scenario.hpp"
#include "machine.hpp"
#include "run.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

std::uint64_t run::seed;
Faults faults; // which nothing looks at

int main(int argc, char **argv)
{
	std::random_device device;
	std::vector<char *> rest;

	if (argc == 2 && std::strcmp(argv[1], spawned::argument) == 0)
		return spawned::main();
	run::seed = static_cast<std::uint64_t>(device()) << 32 | device();
	for (int i = 0; i < argc; i++) {
		if (std::strncmp(argv[i], "--seed=", 7) == 0)
			run::seed = std::strtoull(argv[i] + 7, nullptr, 0);
		else
			rest.push_back(argv[i]);
	}
	scenario::start_helper();
	if (machine::placement() != machine::Placement::unbuffered) {
		std::fprintf(stderr, "draws are buffered, on a system that cannot wipe the buffers of a child\n");
		return 1;
	}
	std::printf("seed %llu\n", static_cast<unsigned long long>(run::seed));
	std::fflush(stdout);

	const int status = doctest::Context(static_cast<int>(rest.size()), rest.data()).run();
	if (status != 0)
		std::printf("repeat with --seed=%llu\n", static_cast<unsigned long long>(run::seed));
	return status;
}
