// SPDX-License-Identifier: BSD-2-Clause
// The draw tests that replace nothing of the system (draw_program.cpp has all of them).
#include "program.hpp"
#include "fake_os.hpp"
#include "machine.hpp"
#include "scenario.hpp"

#include <cstdio>

namespace {

int begin(doctest::Context &)
{
	scenario::start_helper();
	// On a BSD unit/os/bsd.cpp looks at the placement.
	if (CPRNG_TEST_OS_BSD || CPRNG_TEST_OS_MACOS || machine::placement() == machine::Placement::unbuffered)
		return 0;
	std::fprintf(stderr, "draws are buffered, on a system that cannot wipe the buffers of a child\n");
	return 1;
}

const bool added = program::add({ nullptr, nullptr, begin, nullptr });

} // namespace
