// SPDX-License-Identifier: BSD-2-Clause
#include "text/words.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "common/error.hpp"

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

struct characters {
	std::uint32_t first;
	std::uint32_t last;
};

// Unicode's Default_Ignorable_Code_Point, controls, and blanks other than those between fields.
constexpr characters invisible[] = {
	{ 0x00, 0x1f },       { 0x7f, 0xa0 },       { 0xad, 0xad },     { 0x34f, 0x34f },   { 0x61c, 0x61c },
	{ 0x115f, 0x1160 },   { 0x1680, 0x1680 },   { 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x2000, 0x200f },
	{ 0x2028, 0x202f },   { 0x205f, 0x206f },   { 0x2800, 0x2800 }, { 0x3000, 0x3000 }, { 0x3164, 0x3164 },
	{ 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
};

// Characters that normalisation (NFC) replaces, and vowels and ends of Korean syllables.
constexpr characters other_forms[] = {
	{ 0x1161, 0x11ff }, { 0x340, 0x341 },   { 0x343, 0x344 },   { 0x2126, 0x2126 },
	{ 0x212a, 0x212b }, { 0xf900, 0xfaff }, { 0xfb1d, 0xfb4e }, { 0x2f800, 0x2fa1f },
};

// Marks that NFC mostly combines with a preceding letter of these scripts.
constexpr characters marks[] = { { 0x300, 0x345 }, { 0x3099, 0x309a } };
constexpr characters letters[] = {
	{ 'A', 'Z' },
	{ 'a', 'z' },
	{ 0x370, 0x52f },
	{ 0x3040, 0x30ff },
};

template <std::size_t count> bool has(const characters (&set)[count], std::uint32_t c)
{
	return std::any_of(set, set + count, [c](const characters &part) { return c >= part.first && c <= part.last; });
}

// Refuse a word that could look like another one, or be typed in a form that differs from the stored one.
void refuse_ambiguous(const std::string &name, std::size_t line, std::string_view word)
{
	std::uint32_t before = 0;
	while (!word.empty()) {
		const std::uint32_t c = take_character(word);
		if (has(invisible, c))
			throw runtime_failure(
				fmt::format("{}: line {} has the invisible character U+{:04X}", name, line, c));
		if ((has(marks, c) && has(letters, before)) || has(other_forms, c))
			throw runtime_failure(
				fmt::format("{}: line {}: U+{:04X} has another form: normalise the list (uconv -x nfc)",
					    name, line, c));
		before = c;
	}
}

} // namespace

std::uint32_t take_character(std::string_view &text)
{
	const auto first = static_cast<unsigned char>(text[0]);
	const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
	std::uint32_t value = size == 1 ? first : first & (0x7fU >> size);
	for (std::size_t i = 1; i < size && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
	     i++)
		value = value << 6 | (static_cast<unsigned char>(text[i]) & 0x3f);
	// The shortest form is the only one, so that a missing byte gives a value that is too small.
	constexpr std::uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	if ((size == 1 && first >= 0x80) || first >= 0xf8 || value < least[size] || value > 0x10ffff ||
	    (value >= 0xd800 && value < 0xe000)) {
		text.remove_prefix(1);
		return '?';
	}
	text.remove_prefix(size);
	return value;
}

bool is_invisible(std::uint32_t character)
{
	return has(invisible, character);
}

bool has_other_form(std::uint32_t character)
{
	return has(marks, character) || has(other_forms, character);
}

std::vector<std::string> parse_words(const std::string &name, std::string_view text)
{
	constexpr std::string_view blanks = " \t\r";
	std::vector<std::string> words;
	std::size_t number = 0;
	if (text.substr(0, byte_order_mark.size()) == byte_order_mark)
		text.remove_prefix(byte_order_mark.size());
	while (!text.empty()) {
		std::string_view line = text.substr(0, text.find('\n'));
		text.remove_prefix(std::min(text.size(), line.size() + 1));
		number++;
		const std::size_t last = line.find_last_not_of(blanks);
		if (last == std::string_view::npos || line.front() == '#')
			continue;
		line = line.substr(0, last + 1);
		const std::size_t gap = line.find_last_of(blanks);
		words.emplace_back(gap == std::string_view::npos ? line : line.substr(gap + 1));
		refuse_ambiguous(name, number, words.back());
	}
	if (words.empty())
		throw runtime_failure(fmt::format("{}: contains no words", name));
	if (const std::string twice = repeated_word(words); !twice.empty())
		throw runtime_failure(fmt::format("{}: {} comes twice", name, quote(twice)));
	return words;
}

std::string repeated_word(std::vector<std::string> words)
{
	std::sort(words.begin(), words.end());
	const auto twice = std::adjacent_find(words.begin(), words.end());
	return twice == words.end() ? std::string() : *twice;
}

bool are_distinct_phrases(const std::vector<std::string> &words, const std::string &separator)
{
	std::vector<std::string> ends;
	ends.reserve(words.size());
	for (const std::string &word : words)
		ends.push_back(word + separator);
	std::sort(ends.begin(), ends.end());
	// Sorted, a prefix directly precedes one of its continuations.
	return std::adjacent_find(ends.begin(), ends.end(), [](const std::string &a, const std::string &b) {
		       return b.compare(0, a.size(), a) == 0;
	       }) == ends.end();
}
