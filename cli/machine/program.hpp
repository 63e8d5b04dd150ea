// SPDX-License-Identifier: BSD-2-Clause
// The program that `cprng run` starts: its file, and whether libraries can be preloaded into it.
#ifndef CPRNG_CLI_MACHINE_PROGRAM_HPP
#define CPRNG_CLI_MACHINE_PROGRAM_HPP

#include <string>

// The exit statuses of env(1) and nohup(1).
constexpr int status_cannot_run = 126;
constexpr int status_not_found = 127;

// The path of this command.
std::string own_path();

// The file that execvp(3) would start.  Throws failure.
std::string find_program(const std::string &name);

// Throw failure, with a reason, if the dynamic linker would ignore the library or could not start the file.
void check_program(const std::string &path);

[[noreturn]] void refuse_program(const std::string &path, const std::string &why);

#endif
