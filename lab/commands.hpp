// SPDX-License-Identifier: BSD-2-Clause
// The commands of cprng-lab.  A new one is a directory, a declaration here and a line in main.cpp.
#ifndef CPRNG_LAB_COMMANDS_HPP
#define CPRNG_LAB_COMMANDS_HPP

#include <functional>

#include <CLI/CLI.hpp>

namespace lab {

struct run_options;

// --json, --quick, --seconds, --repetitions.
void add_run_options(CLI::App &app, run_options &options);

// Each adds its options, and returns what does the work when they are known.
std::function<void()> add_fortuna(CLI::App &app);
std::function<void()> add_stream(CLI::App &app);

} // namespace lab

#endif
