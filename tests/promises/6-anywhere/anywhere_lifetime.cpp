// SPDX-License-Identifier: BSD-2-Clause
#include "../../support/lifetime.hpp"

#include "../../support/machine.hpp"
#include "../../support/program.hpp"
#include "../../support/repeats.hpp"

#include <set>
#include <string>
#include <vector>

#include <spawn.h>
#include <unistd.h>

namespace {

int live_instead(int argc, char **argv)
{
	return lifetime::is_wanted(argc, argv) ? lifetime::main(argc, argv) : -1;
}

const bool added = program::add({ live_instead, nullptr, nullptr, nullptr });

std::vector<lifetime::Record> run(std::string program, std::string how)
{
	int ends[2];

	REQUIRE(pipe(ends) == 0);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	char *argv[] = { &program[0], &how[0], nullptr };
	pid_t pid;
	REQUIRE(posix_spawn(&pid, program.c_str(), &actions, nullptr, argv, environ) == 0);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);

	std::vector<lifetime::Record> records;
	lifetime::Record r;
	// Each record is written by one call and is shorter than the atomic limit of pipes.
	while (read(ends[0], &r, sizeof(r)) == static_cast<ssize_t>(sizeof(r)))
		records.push_back(r);
	close(ends[0]);
	CHECK(machine::ended_well(pid));
	return records;
}

void check(const std::string &program)
{
	using namespace lifetime;
	const std::set<std::uint32_t> begin{ preinit, constructor, static_object, in_main };
	std::set<std::uint32_t> quick = begin, whole = begin;

	quick.insert(quick_exit_handler);
	for (const std::uint32_t when :
	     { thread_object, exit_handler, on_exit_handler, early_exit_handler, static_destructor, destructor })
		whole.insert(when);
#ifndef __GLIBC__
	whole.erase(on_exit_handler);
#endif
#ifdef __SANITIZE_ADDRESS__
	quick.erase(preinit);
	whole.erase(preinit);
#endif
	// False alarms: (26 * 78)^2 / 2^65 = 10^-13.
	Windows windows(3 * times * sizeof(Record));
	for (const char *how : { by_return, by_exit, by_quick_exit }) {
		INFO(program << " " << std::string(how));
		std::set<std::uint32_t> seen;
		for (const Record &r : run(program, how)) {
			INFO("time " << r.when);
			CHECK(seen.insert(r.when).second);
			CHECK(!has_zero_window(r.fast, sizeof(r.fast)));
			CHECK(!has_zero_window(r.strong, sizeof(r.strong)));
			CHECK(windows.add(r.fast, sizeof(r.fast)) == 0);
			CHECK(windows.add(r.strong, sizeof(r.strong)) == 0);
		}
		CHECK((seen == (how == by_quick_exit ? quick : whole)));
	}
}

} // namespace

// Catches a library that must be constructed before the first draw, or that is destroyed before the last one.
TEST_CASE("anywhere: before main, in exit handlers, in destructors")
{
	SKIP_IF(machine::emulated(), "an emulated program cannot start itself");
	check("/proc/self/exe");
}

#ifdef CPRNG_TEST_LIFETIME
// Catches the same in a library that the loader initialises and finalises.
TEST_CASE("anywhere: before main, in exit handlers, in destructors, with the shared library")
{
	check(CPRNG_TEST_LIFETIME);
}
#endif
