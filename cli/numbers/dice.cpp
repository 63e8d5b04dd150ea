// SPDX-License-Identifier: BSD-2-Clause
// cprng dice: throws of dice.
#include "numbers/dice.hpp"

#include <charconv>
#include <memory>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/quantity.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "shell/values.hpp"

namespace {

// One throw's faces fit into memory, and no sum overflows.
constexpr std::uint64_t count_max = 1000 * 1000;
constexpr std::uint64_t sides_max = std::uint64_t{ 1 } << 32;

struct dice_arguments {
	values_arguments values;
	seed_options seed;
	std::string dice;
	bool verbose = false;
};

[[noreturn]] void refuse(std::string_view text, const std::string &reason)
{
	throw usage_error(fmt::format("DICE: {} {}", quote(text), reason));
}

// The number at the start of rest, if there is one.
bool take_number(std::string_view &rest, std::uint64_t &value)
{
	auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
	if (error == std::errc::result_out_of_range)
		value = UINT64_MAX;
	const bool any = stop != rest.data();
	rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
	return any;
}

bool take_letter(std::string_view &rest, char lower, char upper)
{
	if (rest.empty() || (rest.front() != lower && rest.front() != upper))
		return false;
	rest.remove_prefix(1);
	return true;
}

std::string as_json(const dice_throw &result)
{
	return fmt::format("{{\"sum\": {}, \"faces\": [{}]}}", result.sum, fmt::join(result.faces, ", "));
}

// "4 + 2 + 6 + 2 = 14" would repeat the constants, which the user typed.
std::string as_text(const dice_throw &result, bool verbose)
{
	return verbose ? fmt::format("{} ({})", result.sum, fmt::join(result.faces, " ")) :
			 fmt::format("{}", result.sum);
}

// The sides of all dice; 0 if they differ.
std::uint64_t common_sides(const std::vector<dice_term> &terms)
{
	std::uint64_t sides = 0;
	for (const dice_term &term : terms) {
		if (term.sides == 0 || term.sides == sides)
			continue;
		if (sides != 0)
			return 0;
		sides = term.sides;
	}
	return sides;
}

int run_dice(const dice_arguments &arguments)
{
	const std::vector<dice_term> terms = parse_dice(arguments.dice);
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	const std::uint64_t sides = common_sides(terms);
	block_source blocks(*source, sides);
	print_values(arguments.values, [&](value_writer &writer) {
		const dice_throw result = throw_dice(sides != 0 ? blocks : *source, terms);
		writer.put(arguments.values.json ? as_json(result) : as_text(result, arguments.verbose));
	});
	return 0;
}

} // namespace

std::vector<dice_term> parse_dice(std::string_view text)
{
	if (text.empty())
		refuse(text, "is empty; write 3d6+2, say");
	std::vector<dice_term> terms;
	std::string_view rest = text;
	std::uint64_t dice = 0;
	bool varies = false;
	while (!rest.empty()) {
		dice_term term = { 1, 1, 0 };
		if (take_letter(rest, '-', '-'))
			term.sign = -1;
		else if (!take_letter(rest, '+', '+') && !terms.empty())
			refuse(text, fmt::format("has {} where + or - is needed", quote(rest)));
		const bool counted = take_number(rest, term.count);
		if (take_letter(rest, 'd', 'D')) {
			if (take_letter(rest, '%', '%'))
				term.sides = 100;
			else if (!take_number(rest, term.sides))
				refuse(text, "has no number of sides behind the d");
			if (term.sides == 0)
				refuse(text, "has a die without sides");
			if (term.sides > sides_max)
				refuse(text, "has a die of more than 2^32 sides");
			if (term.count > count_max || (dice += term.count) > count_max)
				refuse(text, fmt::format("has more than {} dice", count_max));
		} else if (!counted) {
			refuse(text, "is not like 3d6+2");
		} else if (term.count > sides_max) {
			refuse(text, "has a number of more than 2^32");
		}
		varies = varies || (term.count > 0 && term.sides > 1);
		terms.push_back(term);
		if (terms.size() > count_max)
			refuse(text, "is too long");
	}
	// A sum that is always the same would pass for a throw.
	if (!varies)
		refuse(text, all_digits(text) ? fmt::format("has no die: write d{}", text) :
						std::string("has no die of two sides or more; write 3d6+2, say"));
	return terms;
}

dice_throw throw_dice(random_source &source, const std::vector<dice_term> &terms)
{
	dice_throw result;
	for (const dice_term &term : terms) {
		if (term.sides == 0) {
			result.sum += term.sign * static_cast<std::int64_t>(term.count);
			continue;
		}
		for (std::uint64_t i = 0; i < term.count; i++) {
			const std::uint64_t face = 1 + source.below(term.sides);
			result.faces.push_back(face);
			result.sum += term.sign * static_cast<std::int64_t>(face);
		}
	}
	return result;
}

void add_dice(command_line &line)
{
	auto arguments = std::make_shared<dice_arguments>();
	command &command = line.add("Numbers", "dice", "throws of dice", [arguments] { return run_dice(*arguments); });
	command.positional("DICE", arguments->dice,
			   "3d6+2: the sum of three dice of six sides and 2; d20, 2d8-1d4, d%");
	add_values_arguments(command, arguments->values, "throws");
	add_seed_options(command, arguments->seed);
	command.flag("-v,--verbose", arguments->verbose, "print the faces after the sum");
	command.example("cprng dice 3d6+2", "");
	command.example("cprng dice d20 -n 5", "five throws of one die");
	command.example("cprng dice 4d6 -v", "the faces too: 15 (6 4 2 3)");
}
