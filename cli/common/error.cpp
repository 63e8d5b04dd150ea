// SPDX-License-Identifier: BSD-2-Clause
#include "common/error.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include <cprng/cprng.h>

namespace {

// Enough to recognise the argument, and the reason still fits on the line.
constexpr std::size_t quoted_max = 80;

bool is_control(unsigned char c)
{
	return c < 0x20 || c == 0x7f;
}

// Bytes 10xxxxxx continue a UTF-8 character.
bool continues_character(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

// https://no-color.org: set and not empty means none.
bool wants_colour() noexcept
{
	const char *none = std::getenv("NO_COLOR");
	if (none != nullptr && *none != '\0')
		return false;
	const char *terminal = std::getenv("TERM");
	return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

void print_line(std::string_view message, bool coloured) noexcept
{
	try {
		std::string line = coloured && wants_colour() ? "\x1b[1;31mcprng:\x1b[0m " : "cprng: ";
		for (char c : message) {
			auto byte = static_cast<unsigned char>(c);
			if (is_control(byte))
				line += fmt::format("\\x{:02x}", byte);
			else
				line += c;
		}
		line += '\n';
		// A single write keeps the line whole among other writers' lines.  Its failure cannot be reported.
		if (write(STDERR_FILENO, line.data(), line.size()) < 0)
			return;
	} catch (...) {
		static constexpr char memory[] = "cprng: out of memory\n";
		if (write(STDERR_FILENO, memory, sizeof(memory) - 1) < 0)
			return;
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
