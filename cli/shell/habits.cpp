// SPDX-License-Identifier: BSD-2-Clause
#include "shell/habits.hpp"

#include <fmt/format.h>

#include "common/suggest.hpp"

namespace {

struct habit {
	// Words, each between blanks.
	std::string_view typed;
	std::string_view instead;
};

constexpr std::string_view integers = "cprng int LO HI, both included";
constexpr std::string_view some_lines =
	"cprng pick -n COUNT FILE, or cprng pick -n COUNT -e LINE ...; -r may repeat lines";

// openssl, Python (random, secrets, numpy), C, coreutils, BSD, util-linux, and games.
constexpr habit of_commands[] = {
	{ " rand openssl ", "cprng bytes SIZE, or cprng hex SIZE or cprng base64 SIZE for text" },
	{ " random urandom getrandom getentropy arc4random randbytes head dd raw byte ",
	  "cprng bytes SIZE; numbers are cprng u32, cprng int LO HI and cprng float" },
	{ " hexdump xxd od base16 tohex hexadecimal b16 ", "cprng hex SIZE" },
	{ " b64 ", "cprng base64 SIZE" },
	{ " b32 ", "cprng base32 SIZE" },
	{ " b64url urlsafe base64-url ", "cprng base64url SIZE" },
	{ " token secret secrets token_hex token_urlsafe token_bytes key keygen nonce salt ",
	  "cprng hex SIZE, or cprng base64url SIZE for a URL" },
	{ " randint randrange integer integers range jot seq number numbers num rnd i8 i16 i32 i64 between ",
	  integers },
	{ " uint unsigned ", "cprng u32, or u8, u16 or u64" },
	{ " randbelow below arc4random_uniform ", "cprng u32 --below N" },
	{ " real double drand48 uniform ", "cprng float; integers are cprng int LO HI" },
	{ " gauss gaussian normalvariate randn rnorm ", "cprng normal --mean NUMBER --deviation NUMBER" },
	{ " exp expovariate rexp ", "cprng exponential --mean NUMBER" },
	{ " pwgen passwd pw pwd makepasswd apg mkpasswd chars characters string alnum ",
	  "cprng password LENGTH -n COUNT" },
	{ " pin otp digits ", "cprng password 6 --alphabet digits" },
	{ " passphrase diceware xkcdpass words word mnemonic ", "cprng phrase WORDS" },
	{ " uuidgen guid uuid4 uuidv4 ", "cprng uuid -n COUNT; -7 sorts by time" },
	{ " uuid7 uuidv7 ", "cprng uuid -7" },
	{ " choose choice choices sample select lines line rl draw ", some_lines },
	{ " shuf permute permutation mix scramble sort randomize ",
	  "cprng shuffle FILE, or cprng pick -n COUNT FILE; numbers are cprng shuffle -i LO-HI" },
	{ " roll die throw d% ", "cprng dice 3d6, or another number of dice and sides" },
	{ " coin flip toss coinflip ", "cprng pick -e heads tails" },
	{ " bool boolean ", "cprng pick -e true false" },
	{ " seed ", "--seed SEED behind a command; the seed file of the machine is cprng seed-file" },
	{ " check test ", "cprng selftest" },
	{ " status engines list show ", "cprng info, or cprng selftest for the engines" },
	{ " exec env preload ", "cprng run -- COMMAND" },
	{ " man usage ", "cprng help" },
};

struct option_habit {
	// Command names; empty for all.
	std::string_view commands;
	std::string_view typed;
	std::string_view instead;
};

// The first match counts.
constexpr option_habit of_options[] = {
	{ " cprng ", " -v ", "--version" },
	{ " cprng ", " -? --usage ", "--help" },
	{ " bytes hex base32 base64 base64url stream ", " -l --len --length -s --size -c --bytes --nbytes ",
	  "SIZE alone, as in 'cprng hex 16'" },
	{ " bytes stream ", " -n --count --num ", "SIZE alone, as in 'cprng bytes 16'" },
	{ " hex base32 base64 base64url ", " --hex --base32 --base64 --base64url ",
	  "cprng hex SIZE, cprng base64 SIZE, ..." },
	{ " bytes ", " -x -X ", "--hex" },
	{ " bytes ", " -b -a ", "--base64" },
	{ " int ", " --min --max --low --high --lo --hi --from --to --start --stop --end --range -r -i --input-range ",
	  "LO and HI alone, as in 'cprng int 1 6'" },
	{ " u8 u16 u32 u64 ", " --max --bound --limit --to --end --upper ", "--below N, which excludes N" },
	{ " float normal exponential ", " -p -w --precision --digits --places ",
	  "a filter behind it: all digits are printed" },
	{ " float ", " --min --max --low --high --range ",
	  "cprng float alone: from 0 to 1; integers are cprng int LO HI" },
	{ " normal ", " --mu --loc --average ", "--mean" },
	{ " normal ", " --sigma --scale --sd --std --stddev --dev --stdev ", "--deviation" },
	{ " exponential ", " --lambda --lambd --rate --scale ", "--mean, which is 1 divided by the rate" },
	{ " uuid ", " -r --random ", "-4" },
	{ " uuid ", " -t --time --time-v7 -6 --time-v6 -1 ", "-7" },
	{ " uuid ", " -m --md5 --sha1 -N --name --namespace -3 -5 ", "uuidgen(1), which makes UUIDs of names" },
	{ " password ", " -s --secure --random ", "nothing for it: all passwords are random" },
	{ " password ", " -y --symbols --special --punctuation ", "--alphabet graph" },
	{ " password ", " -B --ambiguous --no-ambiguous ", "--alphabet clear" },
	{ " password ", " --numbers --digits --numeric ", "--alphabet digits" },
	{ " password ", " -c --capitalize --numerals ", "--each" },
	{ " password ", " --chars --charset ", "--characters TEXT or --alphabet NAME" },
	{ " phrase ", " --words -w ", "WORDS alone, as in 'cprng phrase 6'" },
	{ " phrase ", " -d --delimiter --sep ", "--separator TEXT" },
	{ " phrase ", " --wordlist --dictionary ", "--list FILE" },
	{ " dice ", " --sides --faces --dice ", "DICE alone, as in 'cprng dice 3d6'" },
	{ " shuffle ", " --random-source ", "--seed SEED" },
	{ " shuffle pick ", " --replacement --replace --with-replacement ", "-r" },
	{ " shuffle pick ", " -k --head-count --lines --size ", "-n COUNT" },
	{ "", " --num --number --times --repeat --how-many --head-count -k ",
	  "-n COUNT, where a command prints several" },
	{ "", " --out --outfile --out-file --file ", "-o FILE, or > FILE" },
	{ "", " --random_state --random-state --rng ", "--seed, where a command has it" },
};

bool contains(std::string_view words, std::string_view word)
{
	return words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

bool is_a_word(std::string_view text)
{
	return !text.empty() && text.find(' ') == std::string_view::npos;
}

// "3d6", "d20+1".
bool is_dice(std::string_view text)
{
	const std::size_t d = text.find('d');
	return d != std::string_view::npos && d + 1 < text.size() && text[d + 1] >= '0' && text[d + 1] <= '9' &&
	       text.find_first_not_of("0123456789d%+-") == std::string_view::npos;
}

} // namespace

std::string habit_of_command(std::string_view typed)
{
	const std::string word = lower(typed);
	if (!is_a_word(word))
		return {};
	for (const habit &one : of_commands)
		if (contains(one.typed, word))
			return fmt::format("; write {}", one.instead);
	if (is_dice(word))
		return fmt::format("; write cprng dice {}", word);
	if (word.find_first_not_of("0123456789") == std::string::npos || (word[0] >= '1' && word[0] <= '9'))
		return "; write cprng bytes SIZE, cprng hex SIZE or cprng int LO HI";
	return {};
}

std::string habit_of_option(std::string_view command, std::string_view option)
{
	if (!is_a_word(option))
		return {};
	for (const option_habit &one : of_options)
		if ((one.commands.empty() || contains(one.commands, command)) && contains(one.typed, option))
			return fmt::format("; write {}", one.instead);
	return {};
}

std::string habit_of_argument(std::string_view command, std::string_view argument)
{
	if (command == "int")
		return "; write LO and HI, or LO-HI, and -n COUNT for several";
	if (command == "float")
		return "; the numbers are from 0 to 1, and several are printed with -n COUNT";
	if (command == "normal" || command == "exponential")
		return "; the mean is that of --mean, and several are printed with -n COUNT";
	if (contains(" u8 u16 u32 u64 hex base32 base64 base64url dice uuid password phrase ", command) &&
	    argument.find_first_not_of("0123456789") == std::string_view::npos)
		return "; several are printed with -n COUNT";
	return {};
}
