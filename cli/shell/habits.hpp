// SPDX-License-Identifier: BSD-2-Clause
// Hints for users of openssl rand, shuf, pwgen and uuidgen.
#ifndef CPRNG_CLI_SHELL_HABITS_HPP
#define CPRNG_CLI_SHELL_HABITS_HPP

#include <string>
#include <string_view>

// "; write cprng uuid ..." for the name of another program; empty for other words.
std::string habit_of_command(std::string_view typed);

// The same for an option, with its hyphens, that this command lacks.
std::string habit_of_option(std::string_view command, std::string_view option);

// The same for a surplus argument.
std::string habit_of_argument(std::string_view command, std::string_view argument);

#endif
