// SPDX-License-Identifier: BSD-2-Clause
// The stages of a process's life: a program that draws at each stage and writes the bytes.
#ifndef CPRNG_TESTS_LIFETIME_HPP
#define CPRNG_TESTS_LIFETIME_HPP

#include <cstdint>

namespace lifetime {

enum Time {
	preinit,
	constructor,
	static_object,
	in_main,
	thread_object,      // destruction of a thread_local object of the first thread
	exit_handler,       // registered by atexit in main
	on_exit_handler,    // registered by on_exit in main
	quick_exit_handler, // registered by at_quick_exit in main
	early_exit_handler, // registered by atexit before any draw, so it runs last
	static_destructor,
	destructor,
	times
};

struct Record {
	std::uint32_t when;
	unsigned char fast[60], strong[32];
};

// The program's argument, which chooses how it ends.
extern const char by_return[], by_exit[], by_quick_exit[];

// Whether the argument is one of these.
bool is_wanted(int argc, char **argv);
int main(int argc, char **argv);

} // namespace lifetime

#endif
