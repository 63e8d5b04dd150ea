// SPDX-License-Identifier: BSD-2-Clause
// Processes in which the library has not been set up yet.  A program sets up once; so a helper process is forked off
// before anything is drawn, and each scenario runs in a child of that.
#ifndef CPRNG_TESTS_SCENARIO_HPP
#define CPRNG_TESTS_SCENARIO_HPP

#include <cstdint>
#include <string>

namespace scenario {

// The exit status of a scenario that is unavailable here.
constexpr int unavailable = 77;

// What a scenario left behind.
struct Result {
	int status = -1; // of waitpid(2)
	std::string output, errors;

	bool ended_well() const;
	// It reported that it is unavailable here.
	bool absent() const;
	bool aborted() const;
	// Aborted with exactly this line on standard error, and nothing on standard output.
	bool aborted_saying(const std::string &line) const;
	std::string describe() const;
};

// The function runs in the child, and returns when all is well.
struct Scenario {
	using Run = void (*)();

	Scenario(const char *name, Run run);
	Result run() const;

	const char *name;
	Run body;
	Scenario *next;
};

// Before the first draw of the program.
void start_helper();

// Run it: it ends well, or reports that it is unavailable here.  Counts the parts that it skipped, and reports its output.
void check(const Scenario &scenario);

// In a scenario: a part of it is not possible here.
void skip_part(const std::string &why);

// In a scenario: a line on standard error and the end of the child, unless it holds.
void require(bool holds, const char *what);
#define REQUIRE_IN_CHILD(condition) scenario::require((condition), #condition)

} // namespace scenario

#endif
