// SPDX-License-Identifier: BSD-2-Clause
#include "common/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/error.hpp"
#include "common/suggest.hpp"

namespace {

struct unit {
	std::string_view name;
	std::uint64_t factor;
};

constexpr std::uint64_t kilo = 1000;
constexpr std::uint64_t kibi = 1024;

// The units of head(1).  Their case matters: "m" and "mb" are ambiguous.
constexpr unit units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "kB", kilo },
	{ "KB", kilo },
	{ "K", kibi },
	{ "KiB", kibi },
	{ "MB", kilo *kilo },
	{ "M", kibi *kibi },
	{ "MiB", kibi *kibi },
	{ "GB", kilo *kilo *kilo },
	{ "G", kibi *kibi *kibi },
	{ "GiB", kibi *kibi *kibi },
	{ "TB", kilo *kilo *kilo *kilo },
	{ "T", kibi *kibi *kibi *kibi },
	{ "TiB", kibi *kibi *kibi *kibi },
	{ "PB", kilo *kilo *kilo *kilo *kilo },
	{ "P", kibi *kibi *kibi *kibi *kibi },
	{ "PiB", kibi *kibi *kibi *kibi *kibi },
	{ "EB", kilo *kilo *kilo *kilo *kilo *kilo },
	{ "E", kibi *kibi *kibi *kibi *kibi *kibi },
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

bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

// The digits of a whole number such as 1e3 or 2.5E+6, or an empty text.
std::string without_exponent(std::string_view text)
{
	const std::size_t e = text.find_first_of("eE");
	if (e == std::string_view::npos)
		return {};
	std::string_view exponent = text.substr(e + 1);
	if (!exponent.empty() && exponent.front() == '+')
		exponent.remove_prefix(1);
	const std::size_t point = std::min(text.substr(0, e).find('.'), e);
	std::string digits(text.substr(0, point));
	const std::string fraction(point < e ? text.substr(point + 1, e - point - 1) : std::string_view());
	unsigned int places = 0;
	auto [stop, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), places);
	if (!all_digits(exponent) || !all_digits(digits + fraction) || digits.empty() || error != std::errc() ||
	    stop != exponent.data() + exponent.size() || places < fraction.size() || places > 20)
		return {};
	digits += fraction;
	digits.append(places - fraction.size(), '0');
	digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
	std::uint64_t value = 0;
	const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
	return read.ec == std::errc() ? digits : std::string();
}

// Where real numbers are accepted, 1e3 is one.
void explain_exponent(std::string_view what, std::string_view whole)
{
	const std::string_view sign = whole.substr(0, !whole.empty() && whole.front() == '-' ? 1 : 0);
	const std::string digits = without_exponent(whole.substr(sign.size()));
	if (!digits.empty())
		refuse(what, whole, fmt::format("has an exponent: write {}{}", sign, digits));
}

// Other programs accept 0x10 and 1,000: say what to write instead.  Both may follow a minus sign.
void explain_foreign_form(std::string_view what, std::string_view whole)
{
	const std::string_view sign = whole.substr(0, !whole.empty() && whole.front() == '-' ? 1 : 0);
	const std::string_view text = whole.substr(sign.size());
	if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		std::uint64_t value = 0;
		const char *end = text.data() + text.size();
		auto [stop, error] = std::from_chars(text.data() + 2, end, value, 16);
		if (error == std::errc() && stop == end)
			refuse(what, whole,
			       fmt::format("is hexadecimal; numbers are decimal: write {}{}", sign, value));
	}
	std::string digits;
	std::size_t group = 0;
	bool grouped = false;
	for (char c : text) {
		if (is_digit(c)) {
			digits += c;
			group++;
		} else if ((c == ',' || c == '_' || c == '\'') && group > 0 && (grouped ? group == 3 : group <= 3)) {
			grouped = true;
			group = 0;
		} else {
			return;
		}
	}
	if (grouped && group == 3)
		refuse(what, whole, fmt::format("has separators between its digits: write {}{}", sign, digits));
}

// The digits at the start of text; the rest stays in text.
std::uint64_t leading_number(std::string_view what, std::string_view whole, std::string_view &text)
{
	if (whole.empty())
		refuse(what, whole, "is empty; a number is needed");
	if (whole.front() == '-' && whole.size() > 1 && is_digit(whole[1]))
		refuse(what, whole, "is negative");
	explain_foreign_form(what, whole);
	explain_exponent(what, whole);
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

std::vector<std::string> unit_names()
{
	std::vector<std::string> names;
	for (const unit &u : units)
		if (!u.name.empty())
			names.emplace_back(u.name);
	return names;
}

// The ends of LO-HI or LO..HI, each read by `parse`.
template <typename Number>
std::pair<Number, Number> parse_ends(std::string_view what, std::string_view text,
				     Number (*parse)(std::string_view, std::string_view))
{
	// Skip the first character, which may be a sign.
	const std::size_t dots = text.find("..");
	const std::size_t hyphen = text.find('-', 1);
	const std::size_t end = dots != std::string_view::npos ? dots : hyphen;
	if (end == std::string_view::npos)
		refuse(what, text, "is not like LO-HI");
	const Number low = parse(what, text.substr(0, end));
	const Number high = parse(what, text.substr(end + (end == dots ? 2 : 1)));
	if (low > high)
		refuse(what, text, fmt::format("is empty: {} is more than {}", low, high));
	return { low, high };
}

} // namespace

bool all_digits(std::string_view text)
{
	return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

std::uint64_t parse_size(std::string_view what, std::string_view text)
{
	std::string_view rest = text;
	std::uint64_t value = leading_number(what, text, rest);
	if (!rest.empty() && (rest.front() == '.' || rest.front() == ','))
		refuse(what, text, "has a fraction; only whole numbers are taken");
	for (const unit &u : units) {
		if (u.name != rest)
			continue;
		if (value > number_max / u.factor)
			refuse_large(what, text);
		return value * u.factor;
	}
	// 512 bytes to head(1) and dd(1), a bit or a byte to others.
	if (rest == "b" && value <= number_max / 512)
		refuse(what, text,
		       fmt::format(
			       "has the unit b, which is 512 bytes in head(1); did you mean 'B'? Write {0}B, or {1}",
			       value, value * 512));
	// An IEC 80000-13 unit without its B.
	if (rest.size() == 2 && rest[1] == 'i' && std::string_view("KkMGTPE").find(rest[0]) != std::string_view::npos)
		refuse(what, text,
		       fmt::format("has the unknown unit {}: write {}{}", quote(rest), value,
				   rest[0] == 'k' ? 'K' : rest[0]));
	refuse(what, text,
	       fmt::format("has the unknown unit {}{} (known: {})", quote(rest), did_you_mean(rest, unit_names()),
			   fmt::join(unit_names(), " ")));
}

amount parse_amount(std::string_view what, std::string_view text)
{
	if (text == "inf")
		return amount::endless();
	return amount(parse_size(what, text));
}

std::uint64_t parse_number(std::string_view what, std::string_view text)
{
	std::string_view rest = text;
	std::uint64_t value = leading_number(what, text, rest);
	if (!rest.empty())
		refuse(what, text, "is not a whole number");
	return value;
}

range parse_range(std::string_view what, std::string_view text)
{
	const auto [low, high] = parse_ends(what, text, parse_signed);
	return { low, high };
}

wide_range parse_wide_range(std::string_view what, std::string_view text)
{
	if (!text.empty() && text.front() == '-') {
		const auto [low, high] = parse_ends(what, text, parse_signed);
		return { static_cast<std::uint64_t>(low),
			 static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low), true };
	}
	const auto [low, high] = parse_ends(what, text, parse_number);
	return { low, high - low, false };
}

std::int64_t parse_signed(std::string_view what, std::string_view text)
{
	constexpr std::uint64_t least = std::uint64_t{ 1 } << 63;
	const bool negative = text.size() > 1 && text.front() == '-' && all_digits(text.substr(1));
	std::uint64_t size = 0;
	// Messages quote the text with its sign.
	if (negative) {
		const char *end = text.data() + text.size();
		auto [stop, error] = std::from_chars(text.data() + 1, end, size, 10);
		if (stop != end || error != std::errc() || size > least)
			refuse(what, text, fmt::format("is less than -2^63 = -{}", least));
		return static_cast<std::int64_t>(-size);
	}
	if (all_digits(text)) {
		const char *end = text.data() + text.size();
		auto [stop, error] = std::from_chars(text.data(), end, size, 10);
		if (stop != end || error != std::errc() || size > least - 1)
			refuse(what, text, fmt::format("is more than 2^63 - 1 = {}", least - 1));
		return static_cast<std::int64_t>(size);
	}
	// A negative number is allowed here, so the message must not blame the sign.
	if (text.size() > 1 && text.front() == '-' && is_digit(text[1])) {
		explain_foreign_form(what, text);
		explain_exponent(what, text);
		refuse(what, text, "is not a whole number");
	}
	return static_cast<std::int64_t>(parse_number(what, text));
}

double parse_real(std::string_view what, std::string_view text)
{
	if (text.empty())
		refuse(what, text, "is empty; a number is needed");
	explain_foreign_form(what, text);
	double value = 0;
	const char *end = text.data() + text.size();
	auto [stop, error] = std::from_chars(text.data(), end, value);
	if (error == std::errc::result_out_of_range)
		refuse(what, text, "is outside the range of a double");
	if (error != std::errc() || stop != end)
		refuse(what, text, "is not a number");
	if (!std::isfinite(value))
		refuse(what, text, "is not finite");
	return value;
}

std::string readable_size(std::uint64_t bytes)
{
	char text[readable_size_max];
	return { text, write_size(bytes, text) };
}

std::size_t write_size(std::uint64_t bytes, char *to) noexcept
{
	constexpr const char *names[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	std::size_t name = 0;
	std::uint64_t unit = 1;
	for (; bytes / unit >= 1024 && name < std::size(names) - 1; name++)
		unit *= 1024;
	const char *end = unit > 1 && bytes / unit < 100 ?
				  fmt::format_to_n(to, readable_size_max, "{}.{} {}", bytes / unit,
						   bytes % unit / (unit / 1024) * 10 / 1024, names[name])
					  .out :
				  fmt::format_to_n(to, readable_size_max, "{} {}", bytes / unit, names[name]).out;
	return static_cast<std::size_t>(end - to);
}
