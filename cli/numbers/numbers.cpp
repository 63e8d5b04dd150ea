// SPDX-License-Identifier: BSD-2-Clause
// cprng u8, u16, u32 and u64: unsigned integers; int: integers of a range; float, normal and exponential: real numbers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <fmt/format.h>

#include "common/draws.hpp"
#include "common/error.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "shell/values.hpp"

namespace {

struct numbers_arguments {
	values_arguments values;
	seed_options seed;
};

struct unsigned_arguments : numbers_arguments {
	std::optional<std::string> below;
};

struct int_arguments : numbers_arguments {
	std::string low;
	std::optional<std::string> high;
};

struct real_arguments : numbers_arguments {
	std::string mean;
	std::string deviation = "1";
};

// Print the requested numbers, each from draw(), which calls below() with the bound, if there is one.
template <typename Draw> int print_numbers(const numbers_arguments &arguments, Draw draw, std::uint64_t bound = 0)
{
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	block_source blocks(*source, bound);
	print_values(arguments.values, [&](value_writer &writer) {
		const auto number = draw(bound != 0 ? blocks : *source);
		if constexpr (std::is_integral_v<decltype(number)>) {
			const fmt::format_int text(number);
			writer.put({ text.data(), text.size() });
		} else {
			fmt::memory_buffer text;
			// The shortest digits that round to the same double.
			fmt::format_to(std::back_inserter(text), "{}", number);
			writer.put({ text.data(), text.size() });
		}
	});
	return 0;
}

// The value of --below; 0 for no bound.
std::uint64_t parse_bound(const unsigned_arguments &arguments, unsigned int bits)
{
	if (!arguments.below)
		return 0;
	const std::uint64_t largest = bits == 64 ? std::numeric_limits<std::uint64_t>::max() :
						   std::uint64_t{ 1 } << bits;
	const std::uint64_t bound = parse_number("--below", *arguments.below);
	if (bound == 0)
		throw usage_error("--below: no number is below 0; the least bound is 1");
	if (bound > largest)
		throw usage_error(fmt::format("--below: {} is more than {}", bound, largest));
	return bound == largest && bits != 64 ? 0 : bound;
}

int run_unsigned(const unsigned_arguments &arguments, unsigned int bits)
{
	const std::uint64_t bound = parse_bound(arguments, bits);
	return print_numbers(
		arguments, [&](random_source &source) { return bound == 0 ? source.word(bits) : source.below(bound); },
		bound);
}

range chosen_range(const int_arguments &arguments)
{
	const bool is_range = arguments.low.find("..") != std::string::npos ||
			      arguments.low.find('-', 1) != std::string::npos;
	if (!arguments.high && is_range)
		return parse_range("LO", arguments.low);
	const std::int64_t low = parse_signed("LO", arguments.low);
	// In other programs a single number is the lower bound, the upper bound, or the count.
	if (!arguments.high)
		throw usage_error(fmt::format("HI is required: 'cprng int 1 {0}' is from 1 to {0}, "
					      "'cprng int 0 {0}' from 0 to {0} (see cprng int --help)",
					      std::max<std::int64_t>(low, 1)));
	const std::int64_t high = parse_signed("HI", *arguments.high);
	if (low > high)
		throw usage_error(fmt::format("LO is {} and HI is {}: there is no number between them", low, high));
	return { low, high };
}

int run_int(const int_arguments &arguments)
{
	const range numbers = chosen_range(arguments);
	const std::uint64_t span = static_cast<std::uint64_t>(numbers.high) - static_cast<std::uint64_t>(numbers.low);
	return print_numbers(
		arguments, [&](random_source &source) { return draw_between(source, numbers.low, numbers.high); },
		span + 1);
}

int run_float(const real_arguments &arguments)
{
	return print_numbers(arguments, [](random_source &source) { return source.unit(); });
}

// The probability of a larger deviation is below 2^-2950.
constexpr double most_deviations = 64;

int run_normal(const real_arguments &arguments)
{
	const double mean = parse_real("--mean", arguments.mean);
	const double deviation = parse_real("--deviation", arguments.deviation);
	if (deviation < 0)
		throw usage_error(fmt::format("--deviation: {} is negative", quote(arguments.deviation)));
	// JSON has no infinity.
	if (!std::isfinite(std::fabs(mean) + most_deviations * deviation))
		throw usage_error(
			fmt::format("--deviation: numbers with the mean {} and the deviation {} can be beyond "
				    "the range of a double",
				    quote(arguments.mean), quote(arguments.deviation)));
	return print_numbers(arguments, [&](random_source &source) { return source.normal(mean, deviation); });
}

// A number of 64 random bits is at most 64 ln 2 times the mean, below 45.
constexpr double most_means = 64;

int run_exponential(const real_arguments &arguments)
{
	const double mean = parse_real("--mean", arguments.mean);
	if (mean < 0)
		throw usage_error(fmt::format("--mean: {} is negative", quote(arguments.mean)));
	// JSON has no infinity.
	if (!std::isfinite(most_means * mean))
		throw usage_error(fmt::format("--mean: numbers with the mean {} can be beyond the range of a double",
					      quote(arguments.mean)));
	return print_numbers(arguments, [&](random_source &source) { return source.exponential(mean); });
}

} // namespace

void add_unsigned(command_line &line)
{
	for (unsigned int bits : { 8U, 16U, 32U, 64U }) {
		auto arguments = std::make_shared<unsigned_arguments>();
		const std::string name = fmt::format("u{}", bits);
		command &command = line.add("Numbers", name, fmt::format("unsigned integers of {} bits", bits),
					    [arguments, bits] { return run_unsigned(*arguments, bits); });
		add_values_arguments(command, arguments->values, "numbers");
		add_seed_options(command, arguments->seed);
		command.option("--below", arguments->below, "N", "only numbers below N, all equally likely");
		command.example(fmt::format("cprng {} -n 5", name), "five of them");
		command.example(fmt::format("cprng {} --below 100", name), "from 0 to 99");
		command.example(fmt::format("cprng {} -n 5 --seed 42", name), "five that are the same each time");
	}
}

void add_int(command_line &line)
{
	auto arguments = std::make_shared<int_arguments>();
	command &command = line.add("Numbers", "int", "integers from LO to HI, both included",
				    [arguments] { return run_int(*arguments); });
	command.positional("LO", arguments->low, "the least number, at least -2^63; LO-HI and LO..HI work, too");
	command.positional("HI", arguments->high, "the greatest number, up to 2^63 - 1");
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.example("cprng int 1 6", "a throw of a die");
	command.example("cprng int 1-6", "the same");
	command.example("cprng int -100 100 -n 10 --json", "ten numbers for a program");
}

void add_float(command_line &line)
{
	auto arguments = std::make_shared<real_arguments>();
	command &command = line.add("Numbers", "float", "real numbers from 0 to 1, 1 excluded",
				    [arguments] { return run_float(*arguments); });
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.note("Multiples of 2^-53, all equally likely, with as many digits as give the same double again.");
	command.example("cprng float -n 1000 > uniform.txt", "a thousand numbers");
}

void add_normal(command_line &line)
{
	auto arguments = std::make_shared<real_arguments>();
	arguments->mean = "0";
	command &command = line.add("Numbers", "normal", "normally distributed numbers",
				    [arguments] { return run_normal(*arguments); });
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.option("--mean", arguments->mean, "NUMBER", "their mean (0)");
	command.option("--deviation", arguments->deviation, "NUMBER", "their standard deviation (1)");
	command.note("Those of cprng_normal(3); with --seed those of cprng_stream_normal(3).");
	command.example("cprng normal -n 1000 --mean 100 --deviation 15", "a thousand numbers");
}

void add_exponential(command_line &line)
{
	auto arguments = std::make_shared<real_arguments>();
	arguments->mean = "1";
	command &command = line.add("Numbers", "exponential", "exponentially distributed numbers",
				    [arguments] { return run_exponential(*arguments); });
	add_values_arguments(command, arguments->values, "numbers");
	add_seed_options(command, arguments->seed);
	command.option("--mean", arguments->mean, "NUMBER", "their mean: 1 divided by the rate (1)");
	command.note("Those of cprng_exponential(3); with --seed those of cprng_stream_exponential(3).");
	command.example("cprng exponential -n 1000 --mean 0.5", "times between events, two in the mean each second");
}
