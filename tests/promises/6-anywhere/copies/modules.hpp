// SPDX-License-Identifier: BSD-2-Clause
// This process's binaries that contain or use a copy of the library.
#ifndef CPRNG_TESTS_COPIES_MODULES_HPP
#define CPRNG_TESTS_COPIES_MODULES_HPP

#include "module.hpp"

#include <vector>

namespace modules {

extern std::vector<const Module *> all;
// The modules that exist without plugins.
std::vector<const Module *> of_program();
// Whether all binaries should use the same copy (--one-copy).
extern bool one_copy;

// Whether both use one copy of the library.
bool share(const Module *a, const Module *b);

// For each module: the mask of modules that have a cprng_draw_1 after only that module has drawn, in a new process.
// Computed before this process's first draw.
void ask_first_draws();
unsigned int set_up_by(std::size_t index);

} // namespace modules

#endif
