// SPDX-License-Identifier: BSD-2-Clause
// The life of a process from its first instruction on: a program that draws at each time of it, and writes what it drew.
#ifndef CPRNG_TESTS_LIFETIME_HPP
#define CPRNG_TESTS_LIFETIME_HPP

#include <cstdint>

namespace lifetime {

enum Time {
	preinit,
	constructor,
	static_object,
	in_main,
	thread_object,      // of the first thread, destroyed
	exit_handler,       // of atexit in main
	on_exit_handler,    // of on_exit in main
	quick_exit_handler, // of at_quick_exit in main
	early_exit_handler, // of atexit before any draw, and so after all others
	static_destructor,
	destructor,
	times
};

struct Record {
	std::uint32_t when;
	unsigned char fast[60], strong[32];
};

// The program's arguments: how it ends.
extern const char by_return[], by_exit[], by_quick_exit[];

// Whether the argument is one of these.
bool is_wanted(int argc, char **argv);
int main(int argc, char **argv);

} // namespace lifetime

#endif
