// SPDX-License-Identifier: BSD-2-Clause
// What a test program adds to the main function that all of them share (main.cpp).
#ifndef CPRNG_TESTS_PROGRAM_HPP
#define CPRNG_TESTS_PROGRAM_HPP

#include <string>

namespace doctest {
class Context;
}

namespace program {

// Each member may be null.
struct Part {
	// Runs instead of the tests, and returns the exit status; -1 where the arguments do not ask for it.
	int (*instead)(int argc, char **argv);
	// Whether this is an option of the part, which it has then taken.
	bool (*takes)(const std::string &argument);
	// After all options, before the tests: prints what this run is.  The program ends with a status that is not 0.
	int (*begin)(doctest::Context &context);
	// What repeats this run, beside the seed.
	std::string (*options)();
};

// For the initialiser of a constant, before main.
bool add(const Part &part);

// Whether the argument begins with the option, which includes its "="; the rest is the value.
bool has_value(const std::string &argument, const char *option, std::string *value);

} // namespace program

#endif
