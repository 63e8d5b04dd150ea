// SPDX-License-Identifier: BSD-2-Clause
// Uses only the public header, because it is also linked with the shared library.
#include "lifetime.hpp"

#include "cprng/cprng.h"

#include <cstdlib>
#include <cstring>

#include <unistd.h>

const char lifetime::by_return[] = "--lifetime=return", lifetime::by_exit[] = "--lifetime=exit",
	   lifetime::by_quick_exit[] = "--lifetime=quick_exit";

bool lifetime::is_wanted(int argc, char **argv)
{
	return argc == 2 && std::strncmp(argv[1], by_return, std::strlen("--lifetime=")) == 0;
}

namespace {

bool wanted; // false in other runs, where the library must not be set up before main

// Written immediately, since the program does not know which stage is the last.
void draw(lifetime::Time when)
{
	lifetime::Record r;
	const std::uint64_t v = cprng_fast64();
	const std::uint32_t w = cprng_fast32();

	r.when = when;
	std::memcpy(r.fast, &v, sizeof(v));
	std::memcpy(r.fast + 8, &w, sizeof(w));
	cprng_fast(r.fast + 12, sizeof(r.fast) - 12);
	cprng_strong(r.strong, sizeof(r.strong));
	if (write(STDOUT_FILENO, &r, sizeof(r)) != static_cast<ssize_t>(sizeof(r)))
		std::abort();
}

void begin(int argc, char **argv)
{
	if (wanted)
		return;
	wanted = lifetime::is_wanted(argc, argv);
	// Runs before the library's first call, and before the C library has registered the destructors.
	if (wanted)
		std::atexit([] { draw(lifetime::early_exit_handler); });
}

#ifndef __SANITIZE_ADDRESS__
void before_constructors(int argc, char **argv, char **)
{
	begin(argc, argv);
	if (wanted)
		draw(lifetime::preinit);
}

// Only programs have preinit functions.  They run before all constructors except those of the C library's shared object.
__attribute__((section(".preinit_array"), used)) void (*const preinit_entry)(int, char **,
									     char **) = before_constructors;
#endif

// GNU systems pass these to constructors.
__attribute__((constructor(101))) void early_constructor(int argc, char **argv, char **)
{
	begin(argc, argv);
	if (wanted)
		draw(lifetime::constructor);
}

// The destructor with the lowest priority runs last.
__attribute__((destructor(101))) void late_destructor()
{
	if (wanted)
		draw(lifetime::destructor);
}

const struct StaticObject {
	StaticObject()
	{
		if (wanted)
			draw(lifetime::static_object);
	}

	~StaticObject()
	{
		if (wanted)
			draw(lifetime::static_destructor);
	}
} of_program;

struct ThreadObject {
	bool made = false;

	~ThreadObject()
	{
		draw(lifetime::thread_object);
	}
};

thread_local ThreadObject of_thread;

} // namespace

int lifetime::main(int, char **argv)
{
	of_thread.made = true;
	draw(in_main);
	std::atexit([] { draw(exit_handler); });
	std::at_quick_exit([] { draw(quick_exit_handler); });
#ifdef __GLIBC__
	on_exit([](int, void *) { draw(on_exit_handler); }, nullptr);
#endif
	if (std::strcmp(argv[1], by_quick_exit) == 0)
		std::quick_exit(0);
	if (std::strcmp(argv[1], by_exit) == 0)
		std::exit(0);
	return 0;
}
