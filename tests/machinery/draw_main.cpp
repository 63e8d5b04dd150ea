// SPDX-License-Identifier: BSD-2-Clause
// draw [--seed=N] [--large] [--placement=unbuffered] [options of doctest]
//
// Tests of the draws of a process: restart, fork, faults, erasure.  Environment: CPRNG_DRAWS (of the test of restarts,
// 1e7 unless it says otherwise), CPRNG_TEST_LARGE (as --large: ten times that, and what else takes long),
// CPRNG_TEST_SCALE (of every volume).
#include "doctest/doctest.h"

#include "run.hpp"
#include "faults.hpp"
#include "fork_forms.hpp"
#include "scenario.hpp"
#include "internals.hpp"
#include "lifetime.hpp"
#include "machine.hpp"

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

std::uint64_t run::seed;

namespace {

void print_run()
{
	cprng_info info;

	cprng_get_info(&info, sizeof(info));
	std::printf("seed %llu, placement %s, engine %s/%s, entropy %s, %zu CPUs%s\n",
		    static_cast<unsigned long long>(run::seed), info.placement, info.engine, info.backend, info.entropy,
		    machine::cpus().size(), machine::emulated() ? ", emulated" : "");
	std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
	std::random_device device;
	std::vector<char *> rest;

	if (lifetime::is_wanted(argc, argv))
		return lifetime::main(argc, argv);
	if (argc == 2 && std::strcmp(argv[1], spawned::argument) == 0)
		return spawned::main();
	run::seed = static_cast<std::uint64_t>(device()) << 32 | device();
	for (int i = 0; i < argc; i++) {
		if (std::strncmp(argv[i], "--seed=", 7) == 0)
			run::seed = std::strtoull(argv[i] + 7, nullptr, 0);
		else if (std::strcmp(argv[i], "--placement=unbuffered") == 0)
			faults.madvise_refused = true;
		else if (!run::takes_large(argv[i]))
			rest.push_back(argv[i]);
	}
	if (faults.madvise_refused && machine::emulated()) {
		std::printf("1 skipped: this emulator wipes nothing, so every run is unbuffered\n");
		return 77;
	}
	scenario::start_helper();
	print_run();

	doctest::Context context(static_cast<int>(rest.size()), rest.data());
	const int status = context.run();
	if (status != 0)
		std::printf("repeat with --seed=%llu\n", static_cast<unsigned long long>(run::seed));
	return status;
}
