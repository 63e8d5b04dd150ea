// SPDX-License-Identifier: BSD-2-Clause
// What hands type: commands and options of other programs, and what to write here instead.
#ifndef CPRNG_CLI_SHELL_HABITS_HPP
#define CPRNG_CLI_SHELL_HABITS_HPP

#include <string>
#include <string_view>

// "; write 'cprng hex SIZE'" for a word that other programs have in the place of a command; nothing for other words.
std::string habit_of_command(std::string_view typed);

// The same for an option, with its hyphens, that this command does not have; without a command, "cprng".
std::string habit_of_option(std::string_view command, std::string_view option);

// The same for one argument more than the command takes.
std::string habit_of_argument(std::string_view command, std::string_view argument);

#endif
