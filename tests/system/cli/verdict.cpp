// SPDX-License-Identifier: BSD-2-Clause
// The status of `cprng selftest` if a backend fails: the linker replaces the library's self-test.
#include "doctest/doctest.h"

#include "../../support/replace.hpp"

#include <cstdio>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cprng/cprng.h>

#include "common/error.hpp"
#include "shell/commands.hpp"

using report_function = void (*)(const cprng_selftest_result *result, void *arg);

REPLACE(int, cprng_selftest, (report_function report, void *arg))
{
	cprng_selftest_result result = {};
	result.engine = "chacha20";
	result.backend = "portable";
	result.usable = 1;
	result.failed = 3;
	report(&result, arg);
	return 1;
}

namespace {

// Runs the command with the descriptor as standard output, and closes it; returns the failure, or nothing.
std::string failure_of_selftest(int descriptor, std::string option)
{
	std::fflush(stdout);
	const int kept = dup(STDOUT_FILENO);
	REQUIRE(kept >= 0);
	REQUIRE(dup2(descriptor, STDOUT_FILENO) == STDOUT_FILENO);
	close(descriptor);
	std::string name = "cprng";
	std::string selftest = "selftest";
	char *arguments[] = { name.data(), selftest.data(), option.data(), nullptr };
	std::string message;
	try {
		command_line line;
		add_selftest(line);
		line.run(option.empty() ? 2 : 3, arguments);
	} catch (const runtime_failure &error) {
		message = error.what();
	} catch (const closed_pipe &) {
		message = "closed pipe";
	}
	dup2(kept, STDOUT_FILENO);
	close(kept);
	return message;
}

} // namespace

// Catches a failed self-test that ends with status 0 because the reader of its results has gone.
TEST_CASE("selftest: the verdict needs no reader")
{
	signal(SIGPIPE, SIG_IGN);
	const std::string wanted = "selftest: 1 usable backend missed a known answer";
	for (const char *option : { "", "--json" }) {
		CHECK(failure_of_selftest(open("/dev/null", O_WRONLY), option) == wanted);
		int ends[2];
		REQUIRE(pipe(ends) == 0);
		close(ends[0]);
		CHECK(failure_of_selftest(ends[1], option) == wanted);
	}
}
