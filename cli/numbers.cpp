// SPDX-License-Identifier: BSD-2-Clause
// cprng u32 and cprng u64: decimal numbers, one a line.
#include <cstdint>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "buffer.hpp"
#include "commands.hpp"
#include "error.hpp"
#include "output.hpp"
#include "size.hpp"

namespace {

// Digits of the largest number and a newline.
constexpr std::size_t line_max = std::numeric_limits<std::uint64_t>::digits10 + 2;

template <typename Draw> void print_numbers(std::uint64_t count, Draw draw)
{
	output out;
	wiped_buffer buffer;
	std::size_t used = 0;
	for (; count > 0; count--) {
		if (wiped_buffer::size - used < line_max) {
			out.write(buffer.data(), used);
			used = 0;
		}
		fmt::format_int number(draw());
		std::memcpy(buffer.data() + used, number.data(), number.size());
		used += number.size();
		buffer.data()[used++] = '\n';
	}
	out.write(buffer.data(), used);
	out.finish();
}

// N of --below; 0 without the option.
std::uint64_t parse_bound(const numbers_arguments &arguments, std::uint64_t largest)
{
	if (!arguments.below)
		return 0;
	std::uint64_t bound = parse_number("--below", *arguments.below);
	if (bound == 0)
		throw usage_error("--below: there is no number below 0; 1 is the least");
	if (bound > largest)
		throw usage_error(fmt::format("--below: {} is more than {}", bound, largest));
	return bound;
}

} // namespace

int run_u32(const numbers_arguments &arguments)
{
	constexpr std::uint64_t whole_range = std::uint64_t{ 1 } << 32;
	std::uint64_t count = parse_number("COUNT", arguments.count);
	std::uint64_t bound = parse_bound(arguments, whole_range);
	if (bound == 0 || bound == whole_range)
		print_numbers(count, [] { return cprng_fast32(); });
	else
		print_numbers(count, [bound] { return cprng_uniform32(static_cast<std::uint32_t>(bound)); });
	return 0;
}

int run_u64(const numbers_arguments &arguments)
{
	std::uint64_t count = parse_number("COUNT", arguments.count);
	std::uint64_t bound = parse_bound(arguments, std::numeric_limits<std::uint64_t>::max());
	if (bound == 0)
		print_numbers(count, [] { return cprng_fast64(); });
	else
		print_numbers(count, [bound] { return cprng_uniform64(bound); });
	return 0;
}
