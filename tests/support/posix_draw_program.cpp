// SPDX-License-Identifier: BSD-2-Clause
// The draw tests that replace no system function (draw_program.cpp has all draw tests).
#include "program.hpp"
#include "fake_os.hpp"
#include "machine.hpp"
#include "scenario.hpp"

#include <cstdio>

namespace {

int begin(doctest::Context &)
{
	scenario::start_helper();
	// On a BSD, unit/os/bsd.cpp checks the placement.
	if (CPRNG_TEST_OS_BSD || CPRNG_TEST_OS_MACOS || machine::placement() == machine::Placement::unbuffered)
		return 0;
	std::fprintf(stderr, "draws are buffered on a system that cannot wipe a child's buffers\n");
	return 1;
}

const bool added = program::add({ nullptr, nullptr, begin, nullptr });

} // namespace
