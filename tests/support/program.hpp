// SPDX-License-Identifier: BSD-2-Clause
// A test program's additions to the main function that all test programs share (main.cpp).
#ifndef CPRNG_TESTS_PROGRAM_HPP
#define CPRNG_TESTS_PROGRAM_HPP

#include <string>

namespace doctest {
class Context;
}

namespace program {

// Each member may be null.
struct Part {
	// Runs instead of the tests and returns the exit status; returns -1 if the arguments do not request it.
	int (*instead)(int argc, char **argv);
	// Consumes an option of this part; returns whether it is one.
	bool (*takes)(const std::string &argument);
	// Called after all options and before the tests; prints the run's settings.  A nonzero status ends the program.
	int (*begin)(doctest::Context &context);
	// The options that repeat this run, in addition to the seed.
	std::string (*options)();
};

// Called by the initialiser of a constant, before main.
bool add(const Part &part);

// Whether the argument begins with the option, which includes its "="; value is the rest.
bool has_value(const std::string &argument, const char *option, std::string *value);

} // namespace program

#endif
