// SPDX-License-Identifier: BSD-2-Clause
// The binaries of this process that have or use a copy of the library.
#ifndef CPRNG_TESTS_COPIES_MODULES_HPP
#define CPRNG_TESTS_COPIES_MODULES_HPP

#include "module.hpp"

#include <vector>

namespace modules {

extern std::vector<const Module *> all;
// The modules that are there without plugins.
std::vector<const Module *> of_program();
// Every binary here is expected to use the same copy (--one-copy).
extern bool one_copy;

// Do both use one copy of the library?
bool share(const Module *a, const Module *b);

// For each module, in a process of its own that had not drawn before: the modules that have a cprng_draw_1 after that
// one alone has drawn, as a mask.  Made before the first draw of this process.
void ask_first_draws();
unsigned int set_up_by(std::size_t index);

} // namespace modules

#endif
