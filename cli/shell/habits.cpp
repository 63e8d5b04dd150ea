// SPDX-License-Identifier: BSD-2-Clause
#include "shell/habits.hpp"

#include <fmt/format.h>

#include "common/suggest.hpp"

namespace {

struct command_habit {
	std::string_view typed;
	std::string_view instead;
};

constexpr command_habit of_commands[] = {
	{ "openssl", "cprng bytes SIZE, or cprng hex SIZE or cprng base64 SIZE for text" },
	{ "rand", "cprng bytes SIZE, or cprng hex SIZE or cprng base64 SIZE for text" },
	{ "shuf", "cprng shuffle FILE, or cprng pick -n COUNT FILE; numbers are cprng shuffle -i LO-HI" },
	{ "pwgen", "cprng password LENGTH -n COUNT" },
	{ "uuidgen", "cprng uuid -n COUNT; -7 sorts by time" },
};

struct option_habit {
	// Each word is between blanks.
	std::string_view commands;
	std::string_view typed;
	std::string_view instead;
};

constexpr option_habit of_options[] = {
	{ " bytes stream ", " -n --count ", "SIZE only, as in 'cprng bytes 16'" },
	{ " bytes hex base32 base64 base64url ", " --out ", "-o FILE, or > FILE" },
	{ " shuffle pick ", " --random-source ", "--seed SEED" },
	{ " shuffle pick ", " --head-count ", "-n COUNT" },
	{ " password ", " -s --secure ", "nothing for it: all passwords are random" },
	{ " password ", " -y --symbols ", "--alphabet graph" },
	{ " password ", " -B --ambiguous ", "--alphabet clear" },
	{ " password ", " -c --capitalize --numerals ", "--each" },
	{ " uuid ", " -r --random ", "-4" },
	{ " uuid ", " -t --time ", "-7" },
	{ " uuid ", " -s --sha1 ", "5" },
};

bool contains(std::string_view words, std::string_view word)
{
	return word.find(' ') == std::string_view::npos &&
	       words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

} // namespace

std::string habit_of_command(std::string_view typed)
{
	const std::string word = lower(typed);
	for (const command_habit &one : of_commands)
		if (one.typed == word)
			return fmt::format("; write {}", one.instead);
	return {};
}

std::string habit_of_option(std::string_view command, std::string_view option)
{
	for (const option_habit &one : of_options)
		if (contains(one.commands, command) && contains(one.typed, option))
			return fmt::format("; write {}", one.instead);
	return {};
}

std::string habit_of_argument(std::string_view command, std::string_view argument)
{
	if (command == "int")
		return "; write LO and HI, or LO-HI, and -n COUNT for several";
	if (command == "float")
		return "; the numbers are from 0 to 1, and -n COUNT prints several";
	if (command == "normal" || command == "exponential")
		return "; --mean sets the mean, and -n COUNT prints several";
	if (contains(" u8 u16 u32 u64 hex base32 base64 base64url dice uuid password phrase ", command) &&
	    argument.find_first_not_of("0123456789") == std::string_view::npos)
		return "; -n COUNT prints several";
	return {};
}
