// SPDX-License-Identifier: BSD-2-Clause
// A binary's (program, shared library, plugin) operations on the copy of the library that it is linked with.
#ifndef CPRNG_TESTS_COPIES_MODULE_HPP
#define CPRNG_TESTS_COPIES_MODULE_HPP

#include <cprng/cprng.h>

#include <cstddef>
#include <cstdint>

// The functions lie in that binary, and call the library's functions of similar names.  Where ONLY_DRAWS is defined,
// invalidate, reseed and vfork_child are missing, so that less of a static library is linked in or exported.
struct Module {
	const char *library;         // "static", or the name of a shared library
	std::uint64_t (*draw)();     // an inlined draw
	std::uint64_t (*call)();     // calls cprng_fast64
	std::uint64_t (*generate)(); // calls a function of <cprng/cprng.hpp> that was not inlined
	void (*fill)(void *, std::size_t);
	void (*invalidate)();
	int (*reseed)();
	void (*vfork_child)();
	void (*get_info)(cprng_info *);
	const cprng_draw *(*own)(); // cprng_draw_1 as this binary sees it, or NULL before a draw
};

using ModuleFunction = const Module *();

// The program's module, a linked library's, and those of plugins, by dlsym.
extern "C" __attribute__((visibility("default"))) ModuleFunction program_module, linked_module, plugin_module;

#endif
