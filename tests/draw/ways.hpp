// SPDX-License-Identifier: BSD-2-Clause
// Ways to make a process with a copy of the memory.
#ifndef CPRNG_TESTS_WAYS_HPP
#define CPRNG_TESTS_WAYS_HPP

#include "machine.hpp"

#include <sched.h>
#include <sys/types.h>
#include <unistd.h>

namespace ways {

// Returns as fork does.
using Fork = pid_t (*)();

struct Way {
	const char *name;
	Fork make;
};

constexpr Way all[] = {
	{ "fork", [] { return fork(); } },
	{ "clone by system call", [] { return machine::raw_fork(); } },
#ifdef __GLIBC_PREREQ
#if __GLIBC_PREREQ(2, 34)
	{ "_Fork", [] { return _Fork(); } },
#endif
#endif
	// The child is number 1 of a new PID namespace, and its child number 1 of another: their PIDs tell nothing.
	{ "clone into a PID namespace", [] { return machine::raw_fork(CLONE_NEWPID); } },
};

} // namespace ways

#endif
