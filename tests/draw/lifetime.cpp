// SPDX-License-Identifier: BSD-2-Clause
#include "lifetime.hpp"

#include "machine.hpp"
#include "windows.hpp"

#include "cprng/cprng.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <spawn.h>
#include <unistd.h>

const char lifetime::argument[] = "--lifetime";

namespace {

enum Time { preinit, constructor, static_object, in_main, exit_handler, quick_destructor, destructor, times };

unsigned char drawn[times][64];
bool wanted; // in every other run the library must not be set up before main

void draw(Time when)
{
	const std::uint64_t v = cprng_fast64();
	const std::uint32_t w = cprng_fast32();

	std::memcpy(drawn[when], &v, sizeof(v));
	std::memcpy(drawn[when] + 8, &w, sizeof(w));
	cprng_fast(drawn[when] + 12, sizeof(drawn[when]) - 12);
}

bool is_wanted(int argc, char **argv)
{
	return argc == 2 && std::strcmp(argv[1], lifetime::argument) == 0;
}

#ifndef __SANITIZE_ADDRESS__
void before_constructors(int argc, char **argv, char **)
{
	wanted = is_wanted(argc, argv);
	if (wanted)
		draw(preinit);
}

// Programs alone have this; it runs before every constructor, the C library's shared object excepted.
__attribute__((section(".preinit_array"), used)) void (*const preinit_entry)(int, char **,
									     char **) = before_constructors;
#endif

// GNU systems pass these to constructors.
__attribute__((constructor(101))) void early_constructor(int argc, char **argv, char **)
{
	wanted = is_wanted(argc, argv);
	if (wanted)
		draw(constructor);
}

// The last destructor to run is the one of lowest priority.
__attribute__((destructor(101))) void late_destructor()
{
	if (!wanted)
		return;
	draw(destructor);
	const ssize_t n = write(STDOUT_FILENO, drawn, sizeof(drawn));
	(void)n;
}

const struct Object {
	Object()
	{
		if (wanted)
			draw(static_object);
	}

	~Object()
	{
		if (wanted)
			draw(quick_destructor);
	}
} object;

} // namespace

int lifetime::main()
{
	draw(in_main);
	std::atexit([] { draw(exit_handler); });
	return 0;
}

TEST_CASE("anywhere: before main, in exit handlers, in destructors")
{
	SKIP_IF(machine::emulated(), "an emulated program cannot start itself");

	int ends[2];
	REQUIRE(pipe(ends) == 0);
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	std::string program = "/proc/self/exe", option = lifetime::argument;
	char *argv[] = { &program[0], &option[0], nullptr };
	pid_t pid;
	REQUIRE(posix_spawn(&pid, "/proc/self/exe", &actions, nullptr, argv, environ) == 0);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);

	unsigned char all[times][64] = {};
	std::size_t got = 0;
	for (ssize_t n; got < sizeof(all) && (n = read(ends[0], &all[0][0] + got, sizeof(all) - got)) > 0;)
		got += static_cast<std::size_t>(n);
	close(ends[0]);
	CHECK(machine::ended_well(pid));
	REQUIRE(got == sizeof(all));

	// A false alarm: (7 * 57)^2 / 2^65.
	Windows windows(sizeof(all));
	for (int i = 0; i < times; i++) {
#ifdef __SANITIZE_ADDRESS__
		if (i == preinit)
			continue;
#endif
		CHECK(!has_zero_window(all[i], sizeof(all[i])));
		CHECK(windows.add(all[i], sizeof(all[i])) == 0);
	}
}
