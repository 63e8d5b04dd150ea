// SPDX-License-Identifier: BSD-2-Clause
// cprng dice: throws of dice.
#include "numbers/dice.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <memory>
#include <numeric>
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

// Whether some dice do not count.
bool drops(const std::vector<dice_term> &terms)
{
	return std::any_of(terms.begin(), terms.end(), [](const dice_term &term) { return term.kept < term.count; });
}

std::string as_json(const dice_throw &result, bool with_dropped)
{
	const std::string dropped = with_dropped ? fmt::format(", \"dropped\": [{}]", fmt::join(result.dropped, ", ")) :
						   "";
	return fmt::format("{{\"sum\": {}, \"faces\": [{}]{}}}", result.sum, fmt::join(result.faces, ", "), dropped);
}

// "4 + 2 + 6 + 2 = 14" would repeat the constants, which the user typed.
std::string as_text(const dice_throw &result, bool verbose)
{
	if (!verbose)
		return fmt::format("{}", result.sum);
	const std::string dropped =
		result.dropped.empty() ? "" : fmt::format(", dropped {}", fmt::join(result.dropped, " "));
	return fmt::format("{} ({}{})", result.sum, fmt::join(result.faces, " "), dropped);
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
		writer.put(arguments.values.json ? as_json(result, drops(terms)) : as_text(result, arguments.verbose));
	});
	return 0;
}

// k3, kh3 or kl3 behind the sides: how many of the dice count, 1 if there is no number.
void take_kept(std::string_view &rest, dice_term &term, std::string_view text)
{
	if (!take_letter(rest, 'k', 'K'))
		return;
	term.lowest = take_letter(rest, 'l', 'L');
	if (!term.lowest)
		take_letter(rest, 'h', 'H');
	term.kept = 1;
	take_number(rest, term.kept);
	if (term.kept == 0 || term.kept > term.count)
		refuse(text, fmt::format("keeps {} of {} dice", term.kept, term.count));
}

// Throws if a sum can be beyond 64 bits, or is always the same.
void check_sums(const std::vector<dice_term> &terms, std::string_view text)
{
	std::uint64_t largest = 0;
	bool varies = false;
	for (std::size_t i = 0; i < terms.size();) {
		std::uint64_t product = 1;
		bool has_die = false;
		do {
			const dice_term &term = terms[i];
			has_die = has_die || (term.count > 0 && term.sides > 1);
			if (__builtin_mul_overflow(product, term.sides == 0 ? term.count : term.kept * term.sides,
						   &product))
				refuse(text, "can have a product of more than 2^63 - 1");
		} while (++i < terms.size() && terms[i].sign == 0);
		varies = varies || (has_die && product > 0);
		if (__builtin_add_overflow(largest, product, &largest) || largest > INT64_MAX)
			refuse(text, "can have a sum of more than 2^63 - 1");
	}
	// It would pass for a throw.
	if (!varies)
		refuse(text, all_digits(text) ? fmt::format("has no die: write d{}", text) :
						std::string("has no die of two sides or more; write 3d6+2, say"));
}

// The sum of a term's dice that count.  Of equal faces the first ones do.
std::uint64_t throw_term(random_source &source, const dice_term &term, dice_throw &result)
{
	std::vector<std::uint64_t> &faces = result.faces;
	const std::size_t before = faces.size();
	for (std::uint64_t i = 0; i < term.count; i++)
		faces.push_back(1 + source.below(term.sides));
	const auto first = faces.begin() + static_cast<std::ptrdiff_t>(before);
	if (term.kept < term.count) {
		std::vector<std::uint64_t> order(first, faces.end());
		const auto edge = order.begin() + static_cast<std::ptrdiff_t>(term.kept) - 1;
		if (term.lowest)
			std::nth_element(order.begin(), edge, order.end());
		else
			std::nth_element(order.begin(), edge, order.end(), std::greater<>());
		const std::uint64_t last = *edge;
		auto equal = std::count(order.begin(), edge + 1, last);
		const auto counts = [&](std::uint64_t face) {
			return face == last ? equal-- > 0 : (face < last) == term.lowest;
		};
		order.assign(first, faces.end());
		faces.resize(before);
		for (std::uint64_t face : order)
			(counts(face) ? faces : result.dropped).push_back(face);
	}
	return std::accumulate(faces.begin() + static_cast<std::ptrdiff_t>(before), faces.end(), std::uint64_t{ 0 });
}

} // namespace

std::vector<dice_term> parse_dice(std::string_view text)
{
	if (text.empty())
		refuse(text, "is empty; write 3d6+2, say");
	std::vector<dice_term> terms;
	std::string_view rest = text;
	std::uint64_t dice = 0;
	while (!rest.empty()) {
		dice_term term = { 1, 1, 0, 0, false };
		if (take_letter(rest, '-', '-'))
			term.sign = -1;
		else if (!terms.empty() && take_letter(rest, '*', '*'))
			term.sign = 0;
		else if (!take_letter(rest, '+', '+') && !terms.empty())
			refuse(text, fmt::format("has {} where +, - or * is needed", quote(rest)));
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
			term.kept = term.count;
			take_kept(rest, term, text);
		} else if (!counted) {
			refuse(text, "is not like 3d6+2");
		} else if (term.count > sides_max) {
			refuse(text, "has a number of more than 2^32");
		} else {
			term.kept = term.count;
		}
		terms.push_back(term);
		if (terms.size() > count_max)
			refuse(text, "is too long");
	}
	check_sums(terms, text);
	return terms;
}

dice_throw throw_dice(random_source &source, const std::vector<dice_term> &terms)
{
	dice_throw result;
	std::int64_t product = 0;
	for (const dice_term &term : terms) {
		const auto value =
			static_cast<std::int64_t>(term.sides == 0 ? term.count : throw_term(source, term, result));
		if (term.sign != 0) {
			result.sum += product;
			product = term.sign * value;
		} else {
			product *= value;
		}
	}
	result.sum += product;
	return result;
}

void add_dice(command_line &line)
{
	auto arguments = std::make_shared<dice_arguments>();
	command &command = line.add("Numbers", "dice", "throws of dice", [arguments] { return run_dice(*arguments); });
	command.positional("DICE", arguments->dice,
			   "3d6+2: the sum of three dice of six sides and 2; d20, 2d8-1d4, d%, 2d6*10; 4d6k3 keeps "
			   "the highest three, 2d20kl1 the lowest");
	add_values_arguments(command, arguments->values, "throws");
	add_seed_options(command, arguments->seed);
	command.flag("-v,--verbose", arguments->verbose, "print the faces after the sum");
	command.example("cprng dice 3d6+2", "");
	command.example("cprng dice d20 -n 5", "five throws of one die");
	command.example("cprng dice 4d6k3 -v", "the faces too: 13 (6 4 3, dropped 2)");
}
