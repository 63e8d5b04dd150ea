// SPDX-License-Identifier: BSD-2-Clause
// Processes in which the library has not been set up yet.  The set-up happens once per process, so a helper process is forked
// before the first draw, and each scenario runs in a child of the helper.
#ifndef CPRNG_TESTS_SCENARIO_HPP
#define CPRNG_TESTS_SCENARIO_HPP

#include <cstdint>
#include <string>

namespace scenario {

// The exit status of a scenario that cannot run here.
constexpr int unavailable = 77;

// A scenario's result.
struct Result {
	int status = -1; // from waitpid(2)
	std::string output, errors;

	bool ended_well() const;
	// Whether it reported that it cannot run here.
	bool absent() const;
	bool aborted() const;
	// Whether it aborted with exactly this line on standard error and nothing on standard output.
	bool aborted_saying(const std::string &line) const;
	std::string describe() const;
};

// The function runs in the child and returns if it succeeds.
struct Scenario {
	using Run = void (*)();

	Scenario(const char *its_name, Run run) : name(its_name), body(run)
	{
	}
	Result run() const;

	const char *name;
	Run body;
};

// Call before the program's first draw.
void start_helper();

// Runs the scenario, which must succeed or report that it cannot run here.  Counts its skipped parts and reports its output.
void check(const Scenario &scenario);

// The same in a process with buffers.
void check_buffered(const Scenario &scenario);

// Called in a scenario: this part cannot run here.
void skip_part(const std::string &why);

// Called in a scenario: unless the condition holds, prints a line on standard error and exits.
void require(bool holds, const char *what);
#define REQUIRE_IN_CHILD(condition) scenario::require((condition), #condition)

// A test case whose body is a scenario.  `check` runs it: scenario::check, scenario::check_buffered, or a function of the file.
#define CHILD_TEST_CASE(title, check) CHILD_TEST_CASE_OF(title, check, DOCTEST_ANONYMOUS(child_))
#define CHILD_TEST_CASE_OF(title, check, child) \
	static void child(); \
	TEST_CASE(title) \
	{ \
		check(scenario::Scenario(title, child)); \
	} \
	static void child()

} // namespace scenario

#endif
