// SPDX-License-Identifier: BSD-2-Clause
#include "common/error.hpp"

#include <cstddef>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include <cprng/cprng.h>

#include "system/system.hpp"

namespace {

// Enough to recognise the argument, and the reason still fits on the line.
constexpr std::size_t quoted_max = 80;

bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f || (c >= 0x80 && c < 0xa0);
}

// Bytes 10xxxxxx continue a UTF-8 character.
bool continues_character(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

// The UTF-8 character that the text begins with: one byte if it begins with none.
std::string_view first_character(std::string_view text)
{
	const auto first = static_cast<unsigned char>(text[0]);
	const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	for (std::size_t i = 1; i < size; i++)
		if (i == text.size() || !continues_character(static_cast<unsigned char>(text[i])))
			return text.substr(0, 1);
	return text.substr(0, size);
}

// https://no-color.org: set and not empty means none.
bool wants_colour() noexcept
{
	const char *none = std::getenv("NO_COLOR");
	if (none != nullptr && *none != '\0')
		return false;
	return has_colours();
}

void print_line(std::string_view message, bool coloured) noexcept
{
	try {
		std::string line = coloured && wants_colour() ? "\x1b[1;31mcprng:\x1b[0m " : "cprng: ";
		line += printable(message);
		line += '\n';
		write_message(line);
	} catch (...) {
		write_message("cprng: out of memory\n");
	}
}

} // namespace

std::string quote(std::string_view text)
{
	if (text.size() <= quoted_max)
		return fmt::format("'{}'", text);
	std::size_t end = quoted_max;
	while (end > quoted_max - 3 && continues_character(static_cast<unsigned char>(text[end])))
		end--;
	return fmt::format("'{}...'", text.substr(0, end));
}

std::string printable(std::string_view text)
{
	std::string result;
	while (!text.empty()) {
		const std::string_view character = first_character(text);
		text.remove_prefix(character.size());
		// U+0080 to U+009F are 0xc2 and that byte.
		const bool escape = is_control(static_cast<unsigned char>(character[0])) ||
				    (character.size() == 2 && character[0] == '\xc2' &&
				     is_control(static_cast<unsigned char>(character[1])));
		for (char c : character) {
			if (escape)
				result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
			else
				result += c;
		}
	}
	return result;
}

void check_library(std::string_view what, int error)
{
	if (error != CPRNG_OK)
		throw runtime_failure(fmt::format("{}: {}", what, cprng_strerror(error)));
}

std::string system_message(int error)
{
	return std::generic_category().message(error);
}

void report(std::string_view message) noexcept
{
	print_line(message, true);
}

void inform(std::string_view message) noexcept
{
	print_line(message, false);
}
