// SPDX-License-Identifier: BSD-2-Clause
// cprng u8, u16, u32 and u64: unsigned integers.
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "common/error.hpp"
#include "shell/commands.hpp"
#include "shell/seed.hpp"
#include "shell/values.hpp"

namespace {

struct unsigned_arguments {
	values_arguments values;
	seed_options seed;
	std::optional<std::string> below;
};

// N of --below; 0 for none.
std::uint64_t parse_bound(const unsigned_arguments &arguments, unsigned int bits)
{
	if (!arguments.below)
		return 0;
	const std::uint64_t largest = bits == 64 ? std::numeric_limits<std::uint64_t>::max() :
						   std::uint64_t{ 1 } << bits;
	const std::uint64_t bound = parse_number("--below", *arguments.below);
	if (bound == 0)
		throw usage_error("--below: there is no number below 0; 1 is the least");
	if (bound > largest)
		throw usage_error(fmt::format("--below: {} is more than {}", bound, largest));
	return bound == largest && bits != 64 ? 0 : bound;
}

int run_unsigned(const unsigned_arguments &arguments, unsigned int bits)
{
	const std::uint64_t bound = parse_bound(arguments, bits);
	const std::shared_ptr<random_source> source = choose_source(arguments.seed);
	print_values(arguments.values, [&](value_writer &writer) {
		const fmt::format_int text(bound == 0 ? source->word(bits) : source->below(bound));
		writer.put({ text.data(), text.size() });
	});
	return 0;
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
