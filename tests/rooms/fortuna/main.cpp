// SPDX-License-Identifier: BSD-2-Clause
// fortuna [--seed=N] [--seconds=N] [--large] [--replay=FILE] [options of doctest]
//
// Tests of the harvest queue, the pools and the generator, by themselves and together.  --replay runs the sequences of
// FILE (as made by tests/vectors/make-fortuna.py) and no other test.
#include "doctest/doctest.h"

#include "fixture.hpp"
#include "replay.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

std::uint64_t run::seed;
std::uint32_t run::ceiling = ~0u;
double run::seconds = 4;
std::string replay::file = CPRNG_TEST_VECTORS "/fortuna.json";
bool replay::played;

namespace {

void print_run()
{
	std::printf("seed %llu, seconds %g, backends:", static_cast<unsigned long long>(run::seed), run::seconds);
	for (const cprng_engine *engine : fortuna_engines()) {
		const cprng_backend *backend = cprng_engine_select(engine);
		std::printf(" %s/%s", engine->name, backend != nullptr ? backend->name : "none");
	}
	std::printf("\n");
	std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv)
{
	std::random_device device;
	std::vector<char *> rest;
	doctest::Context context;
	bool must_play = false;

	run::seed = static_cast<std::uint64_t>(device()) << 32 | device();
	for (int i = 0; i < argc; i++) {
		if (std::strncmp(argv[i], "--seed=", 7) == 0) {
			run::seed = std::strtoull(argv[i] + 7, nullptr, 0);
		} else if (std::strncmp(argv[i], "--seconds=", 10) == 0) {
			run::seconds = std::strtod(argv[i] + 10, nullptr);
		} else if (std::strncmp(argv[i], "--replay=", 9) == 0) {
			replay::file = argv[i] + 9;
			must_play = true;
			context.addFilter("test-case", "Fortuna: sequences of the model*");
		} else if (!run::takes_large(argv[i])) {
			rest.push_back(argv[i]);
		}
	}
	print_run();

	context.applyCommandLine(static_cast<int>(rest.size()), rest.data());
	int status = context.run();
	if (must_play && !replay::played)
		status = 1;
	if (status != 0)
		std::printf("repeat with --seed=%llu --seconds=%g\n", static_cast<unsigned long long>(run::seed),
			    run::seconds);
	return status;
}
