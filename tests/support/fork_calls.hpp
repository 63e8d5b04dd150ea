// SPDX-License-Identifier: BSD-2-Clause
// Calls that create a process with a copy of the memory.
#ifndef CPRNG_TESTS_FORK_CALLS_HPP
#define CPRNG_TESTS_FORK_CALLS_HPP

#include "machine.hpp"

#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

namespace fork_calls {

// Returns as fork does.
using Fork = pid_t (*)();

struct Call {
	const char *name;
	Fork make;
};

// On macOS only fork is tested: the children of other calls fault at their first draw (unit/os/bsd.cpp).
constexpr Call all[] = {
	{ "fork", [] { return fork(); } },
#if defined(CPRNG_TEST_OS_MACOS) && CPRNG_TEST_OS_MACOS
	{ "fork", [] { return fork(); } },
#else
	{ "clone by system call", [] { return machine::raw_fork(); } },
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
	{ "_Fork", [] { return _Fork(); } },
#endif
#endif
	// The child has PID 1 in a new PID namespace, and its child has PID 1 in another: PIDs do not distinguish them.
	{ "clone into a PID namespace", [] { return machine::raw_fork(CLONE_NEWPID); } },
#endif
};

} // namespace fork_calls

#endif
