// SPDX-License-Identifier: BSD-2-Clause
// Each public function's stack use, compared with the table in cprng.7, by which programs size alternate signal stacks.
#include "../../support/own_stack.hpp"
#include "../../support/calls.hpp"
#include "../../support/fake_os.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/scenario.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include <unistd.h>

namespace {

using calls::Call;

// The manual page's stack use of each function, in bytes.
std::map<std::string, std::size_t> promised()
{
	std::ifstream page(CPRNG_TEST_DOCUMENTS "/man/cprng.7");
	const std::string begin = ".It Li ", middle = " Ta ";
	const char *const of_names = "abcdefghijklmnopqrstuvwxyz0123456789_";
	std::map<std::string, std::size_t> bytes;

	for (std::string line; std::getline(page, line);) {
		const std::size_t number = line.rfind(middle);
		if (line.rfind(begin, 0) != 0 || number == std::string::npos)
			continue;
		for (std::size_t at = begin.size(), end; (at = line.find("cprng_", at)) < number; at = end) {
			end = line.find_first_not_of(of_names, at);
			bytes[line.substr(at, end - at)] = std::stoul(line.substr(number + middle.size()));
		}
	}
	return bytes;
}

// Whether the function can be a process's first call.
bool can_be_first(const Call &call)
{
	const std::string name = call.function;

	return name.rfind("cprng_fortuna_", 0) != 0 &&
	       (name.rfind("cprng_stream_", 0) != 0 || name == "cprng_stream_init" ||
		name.rfind("cprng_stream_seed", 0) == 0);
}

// In a child: writes the maximum over calls in the states with the deepest call paths to a pipe.
std::size_t measure(const Call &call, bool first)
{
	OwnStack stack;
	std::size_t most = 0;
	const auto once = [&] { most = std::max(most, stack.used(call.make)); };

	calls::prepare_files();
	std::fill(std::begin(calls::given), std::end(calls::given) - 1, 1);
	if (first && can_be_first(call)) {
		once();
		calls::clean_up();
		return most;
	}
	calls::prepare();
	struct cprng_process *p = cprng_process();
	cprng_strong(calls::served, 1);
	once();
	if (p->fork_state != nullptr) {
		std::for_each(p->buffers, p->buffers + p->buffer_count, [](cprng_buffer &b) { b.left = 0; });
		once();
		// Refills read the pools, which poll the sources.
		std::for_each(p->buffers, p->buffers + p->buffer_count, [](cprng_buffer &b) { b.left = 0; });
		fake_os.seconds_ahead += 2;
		once();
		cprng_invalidate();
		calls::prepare(); // objects are unseeded again
		once();
		p->fork_state->generation = 0;
		once();
	}
	calls::clean_up();
	return most;
}

std::size_t measure_in_child(const Call &call, bool first)
{
	int ends[2];
	std::size_t most = 0;

	REQUIRE_IN_CHILD(pipe(ends) == 0);
	const pid_t pid = fork();
	REQUIRE_IN_CHILD(pid >= 0);
	if (pid == 0) {
		most = measure(call, first);
		_exit(write(ends[1], &most, sizeof(most)) == static_cast<ssize_t>(sizeof(most)) ? 0 : 1);
	}
	close(ends[1]);
	REQUIRE_IN_CHILD(read(ends[0], &most, sizeof(most)) == static_cast<ssize_t>(sizeof(most)));
	REQUIRE_IN_CHILD(machine::ended_well(pid));
	close(ends[0]);
	return most;
}

const scenario::Scenario every_function("stack use", [] {
	std::map<std::string, std::size_t> used, bytes = promised();
	bool within = true;

	for (const Call &call : calls::all()) {
		// There are no Fortuna objects where a fork cannot wipe pages.
		if (fake_os.madvise.answer != 0 && std::string(call.function).rfind("cprng_fortuna_", 0) == 0)
			continue;
		for (const bool first : { true, false }) {
			std::size_t &most = used[call.function];
			most = std::max(most, measure_in_child(call, first));
		}
	}
	for (const auto &[function, most] : used) {
		// Skip the slow path of the inlined functions, which no program calls itself.
		if (bytes.count(function) == 0 && function.find("_slow_1") != std::string::npos)
			continue;
		std::printf("%s %zu of %zu\n", function.c_str(), most, bytes[function]);
		within &= most <= bytes[function];
	}
	std::fflush(stdout);
	REQUIRE_IN_CHILD(within);
});

} // namespace

// Catches a frame that exceeds the manual page's limit, and a function missing from its table.
TEST_CASE("stack use: no function takes more than its row of the manual page says")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "sanitizers need more stack");
	SKIP_IF(machine::emulated(), "the emulator also uses the stack");
	const scenario::Result r = every_function.run();
	MESSAGE(r.output);
	INFO(r.describe());
	CHECK(r.ended_well());
}
