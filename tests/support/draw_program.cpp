// SPDX-License-Identifier: BSD-2-Clause
// draw [--placement=unbuffered] [options of main.cpp]
//
// Environment: CPRNG_DRAWS (draws of the restart test, default 1e7), CPRNG_TEST_SCALE (factor of every volume).
#include "program.hpp"
#include "fake_os.hpp"
#include "internals.hpp"
#include "machine.hpp"
#include "scenario.hpp"

#include <cstdio>
#include <string>

namespace {

bool takes(const std::string &argument)
{
	if (argument != "--placement=unbuffered")
		return false;
	fake_os.madvise.answer = -EINVAL;
	return true;
}

int begin(doctest::Context &)
{
	cprng_info info;

	if (fake_os.madvise.answer != 0 && machine::emulated()) {
		std::printf("1 skipped: this emulator does not wipe pages on fork, so every run is unbuffered\n");
		return 77;
	}
	scenario::start_helper();
	cprng_get_info(&info, sizeof(info));
	std::printf("placement %s, engine %s/%s, entropy %s, %zu CPUs%s\n", info.placement, info.engine, info.backend,
		    info.entropy, machine::cpus().size(), machine::emulated() ? ", emulated" : "");
	return 0;
}

std::string options()
{
	return fake_os.madvise.answer != 0 ? " --placement=unbuffered" : "";
}

const bool added = program::add({ nullptr, takes, begin, options });

} // namespace
