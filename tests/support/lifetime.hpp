// SPDX-License-Identifier: BSD-2-Clause
// A process's life from its first instruction: a program that draws at each stage and writes the bytes.
#ifndef CPRNG_TESTS_LIFETIME_HPP
#define CPRNG_TESTS_LIFETIME_HPP

#include <cstdint>

namespace lifetime {

enum Time {
	preinit,
	constructor,
	static_object,
	in_main,
	thread_object,      // the first thread's, destroyed
	exit_handler,       // of atexit in main
	on_exit_handler,    // of on_exit in main
	quick_exit_handler, // of at_quick_exit in main
	early_exit_handler, // of atexit before any draw, so it runs last
	static_destructor,
	destructor,
	times
};

struct Record {
	std::uint32_t when;
	unsigned char fast[60], strong[32];
};

// The program's arguments: the way in which it ends.
extern const char by_return[], by_exit[], by_quick_exit[];

// Whether the argument is one of these.
bool is_wanted(int argc, char **argv);
int main(int argc, char **argv);

} // namespace lifetime

#endif
