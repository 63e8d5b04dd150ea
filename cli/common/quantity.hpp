// SPDX-License-Identifier: BSD-2-Clause
// Sizes, counts and numbers on the command line.  `what` names the argument in the usage_error's message.
#ifndef CPRNG_CLI_COMMON_QUANTITY_HPP
#define CPRNG_CLI_COMMON_QUANTITY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

// How many bytes or values remain; may be endless.
class amount {
public:
	static constexpr amount endless() noexcept
	{
		return { std::numeric_limits<std::uint64_t>::max(), true };
	}

	constexpr explicit amount(std::uint64_t value) noexcept : value_(value)
	{
	}

	constexpr bool is_endless() const noexcept
	{
		return endless_;
	}

	// For an endless amount, the largest value.
	constexpr std::uint64_t value() const noexcept
	{
		return value_;
	}

	constexpr bool any() const noexcept
	{
		return value_ > 0;
	}

	// Take at most `most`, and return how many were taken.
	constexpr std::uint64_t take(std::uint64_t most) noexcept
	{
		const std::uint64_t taken = std::min(value_, most);
		if (!endless_)
			value_ -= taken;
		return taken;
	}

private:
	constexpr amount(std::uint64_t value, bool is_endless) noexcept : value_(value), endless_(is_endless)
	{
	}

	std::uint64_t value_;
	bool endless_ = false;
};

// A size or count such as 4096, 64K, 64KiB, 1MB or inf.
amount parse_amount(std::string_view what, std::string_view text);

// The same without inf.
std::uint64_t parse_size(std::string_view what, std::string_view text);

// A whole decimal number without sign or unit.
std::uint64_t parse_number(std::string_view what, std::string_view text);

// A whole decimal number of 64 bits; a minus sign is allowed.
std::int64_t parse_signed(std::string_view what, std::string_view text);

struct range {
	std::int64_t low;
	std::int64_t high;
};

// LO-HI or LO..HI; both ends must be present, and LO <= HI.
range parse_range(std::string_view what, std::string_view text);

// The numbers low, low + 1, ... low + last, modulo 2^64.
struct wide_range {
	std::uint64_t low;
	std::uint64_t last;
	// Whether they are values of std::int64_t.
	bool is_signed;

	std::uint64_t count_or_max() const
	{
		return last == std::numeric_limits<std::uint64_t>::max() ? last : last + 1;
	}
};

// The same up to 2^64 - 1, or with a negative LO up to 2^63 - 1.
wide_range parse_wide_range(std::string_view what, std::string_view text);

// A finite decimal number.
double parse_real(std::string_view what, std::string_view text);

// One decimal digit or more, and nothing else.
bool all_digits(std::string_view text);

// "1.5 GiB", "17 B"
std::string readable_size(std::uint64_t bytes);

// The same text into an array of readable_size_max characters, for signal handlers.  Returns its length.
constexpr std::size_t readable_size_max = 16;
std::size_t write_size(std::uint64_t bytes, char *to) noexcept;

#endif
