// SPDX-License-Identifier: BSD-2-Clause
// What a binary (program, shared library, plugin) does with the copy of the library that it is linked with.
#ifndef CPRNG_TESTS_COPIES_MODULE_HPP
#define CPRNG_TESTS_COPIES_MODULE_HPP

#include <cprng/cprng.h>

#include <cstddef>
#include <cstdint>

// The functions lie in that binary, and do what their names say by the library's functions.  Where ONLY_DRAWS is defined
// there are no invalidate, reseed and vfork_child: less of a static library is linked in, and exported if it exports.
struct Module {
	const char *library;         // "static", or the name of a shared library
	std::uint64_t (*draw)();     // inlined
	std::uint64_t (*call)();     // by the library's own cprng_fast64
	std::uint64_t (*generate)(); // by a function of <cprng/cprng.hpp> that was not inlined
	void (*fill)(void *, std::size_t);
	void (*invalidate)();
	int (*reseed)();
	void (*vfork_child)();
	void (*get_info)(cprng_info *);
	const cprng_draw *(*own)(); // cprng_draw_1 as this binary sees it, or NULL before a draw
};

using ModuleFunction = const Module *();

// Of the program, of a library that is linked to it, and of plugins, by dlsym.
extern "C" __attribute__((visibility("default"))) ModuleFunction program_module, linked_module, plugin_module;

#endif
