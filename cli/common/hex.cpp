// SPDX-License-Identifier: BSD-2-Clause
#include "common/hex.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "common/error.hpp"

namespace {

// The value of a digit, or -1.
int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

// A printable form of one byte: half a UTF-8 character would garble the line.
std::string show(char c)
{
	auto byte = static_cast<unsigned char>(c);
	if (byte >= 0x20 && byte < 0x7f)
		return fmt::format("'{}'", c);
	return fmt::format("byte 0x{:02x}", byte);
}

} // namespace

wiped_vector<std::uint8_t> parse_hex(std::string_view what, std::string_view text)
{
	wiped_vector<std::uint8_t> bytes;
	bytes.reserve(text.size() / 2);
	int high = 0;
	for (std::size_t i = 0; i < text.size(); i++) {
		int value = digit_value(text[i]);
		if (value < 0)
			throw usage_error(fmt::format("{}: {} at position {} is not a hexadecimal digit", what,
						      show(text[i]), i + 1));
		if (i % 2 == 0)
			high = value;
		else
			bytes.push_back(static_cast<std::uint8_t>(high << 4 | value));
	}
	if (text.size() % 2 != 0)
		throw usage_error(fmt::format("{}: an odd number of hexadecimal digits ({})", what, text.size()));
	return bytes;
}
