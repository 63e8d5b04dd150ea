// SPDX-License-Identifier: BSD-2-Clause
#include "size.hpp"

#include <charconv>
#include <limits>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "error.hpp"

namespace {

struct unit {
	std::string_view name;
	std::uint64_t bytes;
};

constexpr std::uint64_t kilo = 1000;
constexpr std::uint64_t kibi = 1024;

// Exact spelling: "m" or "mb" could mean too much to be guessed at.
constexpr unit units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "kB", kilo },
	{ "KB", kilo },
	{ "KiB", kibi },
	{ "MB", kilo *kilo },
	{ "MiB", kibi *kibi },
	{ "GB", kilo *kilo *kilo },
	{ "GiB", kibi *kibi *kibi },
	{ "TB", kilo *kilo *kilo *kilo },
	{ "TiB", kibi *kibi *kibi *kibi },
	{ "PB", kilo *kilo *kilo *kilo *kilo },
	{ "PiB", kibi *kibi *kibi *kibi *kibi },
	{ "EB", kilo *kilo *kilo *kilo *kilo *kilo },
	{ "EiB", kibi *kibi *kibi *kibi *kibi *kibi },
};

constexpr std::uint64_t number_max = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void refuse(std::string_view what, std::string_view text, std::string_view reason)
{
	throw usage_error(fmt::format("{}: {} {}", what, quote(text), reason));
}

[[noreturn]] void refuse_large(std::string_view what, std::string_view text)
{
	refuse(what, text, fmt::format("is more than 2^64 - 1 = {}", number_max));
}

// The digits at the start of text; the rest stays in text.
std::uint64_t leading_number(std::string_view what, std::string_view whole, std::string_view &text)
{
	if (whole.empty())
		refuse(what, whole, "is empty; a number is needed");
	if (whole.front() == '-' && whole.size() > 1 && whole[1] >= '0' && whole[1] <= '9')
		refuse(what, whole, "is negative");
	std::uint64_t value = 0;
	const char *end = text.data() + text.size();
	auto [stop, error] = std::from_chars(text.data(), end, value, 10);
	if (error == std::errc::result_out_of_range)
		refuse_large(what, whole);
	if (error != std::errc())
		refuse(what, whole, "is not a number");
	text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
	return value;
}

std::string unit_names()
{
	std::string names;
	for (const unit &u : units) {
		if (u.name.empty())
			continue;
		if (!names.empty())
			names += ' ';
		names += u.name;
	}
	return names;
}

} // namespace

std::uint64_t parse_size(std::string_view what, std::string_view text)
{
	std::string_view rest = text;
	std::uint64_t value = leading_number(what, text, rest);
	if (!rest.empty() && (rest.front() == '.' || rest.front() == ','))
		refuse(what, text, "has a fraction; only whole numbers are taken");
	for (const unit &u : units) {
		if (u.name != rest)
			continue;
		if (value > number_max / u.bytes)
			refuse_large(what, text);
		return value * u.bytes;
	}
	refuse(what, text, fmt::format("has the unknown unit {} (known: {})", quote(rest), unit_names()));
}

std::uint64_t parse_number(std::string_view what, std::string_view text)
{
	std::string_view rest = text;
	std::uint64_t value = leading_number(what, text, rest);
	if (!rest.empty())
		refuse(what, text, "is not a whole number");
	return value;
}
