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

// Characters that normalisation (NFC) replaces, by Unicode 14 (compatibility ideographs and Hebrew letters as whole blocks),
// and vowels and ends of Korean syllables.
constexpr characters other_forms[] = {
	{ 0x340, 0x341 },   { 0x343, 0x344 },     { 0x374, 0x374 },     { 0x37e, 0x37e },     { 0x387, 0x387 },
	{ 0x958, 0x95f },   { 0x9dc, 0x9dd },     { 0x9df, 0x9df },     { 0xa33, 0xa33 },     { 0xa36, 0xa36 },
	{ 0xa59, 0xa5b },   { 0xa5e, 0xa5e },     { 0xb5c, 0xb5d },     { 0xf43, 0xf43 },     { 0xf4d, 0xf4d },
	{ 0xf52, 0xf52 },   { 0xf57, 0xf57 },     { 0xf5c, 0xf5c },     { 0xf69, 0xf69 },     { 0xf73, 0xf73 },
	{ 0xf75, 0xf76 },   { 0xf78, 0xf78 },     { 0xf81, 0xf81 },     { 0xf93, 0xf93 },     { 0xf9d, 0xf9d },
	{ 0xfa2, 0xfa2 },   { 0xfa7, 0xfa7 },     { 0xfac, 0xfac },     { 0xfb9, 0xfb9 },     { 0x1161, 0x11ff },
	{ 0x1f71, 0x1f71 }, { 0x1f73, 0x1f73 },   { 0x1f75, 0x1f75 },   { 0x1f77, 0x1f77 },   { 0x1f79, 0x1f79 },
	{ 0x1f7b, 0x1f7b }, { 0x1f7d, 0x1f7d },   { 0x1fbb, 0x1fbb },   { 0x1fbe, 0x1fbe },   { 0x1fc9, 0x1fc9 },
	{ 0x1fcb, 0x1fcb }, { 0x1fd3, 0x1fd3 },   { 0x1fdb, 0x1fdb },   { 0x1fe3, 0x1fe3 },   { 0x1feb, 0x1feb },
	{ 0x1fee, 0x1fef }, { 0x1ff9, 0x1ff9 },   { 0x1ffb, 0x1ffb },   { 0x1ffd, 0x1ffd },   { 0x2000, 0x2001 },
	{ 0x2126, 0x2126 }, { 0x212a, 0x212b },   { 0x2329, 0x232a },   { 0x2adc, 0x2adc },   { 0xf900, 0xfaff },
	{ 0xfb1d, 0xfb4e }, { 0x1d15e, 0x1d164 }, { 0x1d1bb, 0x1d1c0 }, { 0x2f800, 0x2fa1f },
};

// Characters that NFC combines with some character before them, in any script.
constexpr characters combining[] = {
	{ 0x300, 0x304 },     { 0x306, 0x30c },     { 0x30f, 0x30f },     { 0x311, 0x311 },     { 0x313, 0x314 },
	{ 0x31b, 0x31b },     { 0x323, 0x328 },     { 0x32d, 0x32e },     { 0x330, 0x331 },     { 0x338, 0x338 },
	{ 0x342, 0x342 },     { 0x345, 0x345 },     { 0x653, 0x655 },     { 0x93c, 0x93c },     { 0x9be, 0x9be },
	{ 0x9d7, 0x9d7 },     { 0xb3e, 0xb3e },     { 0xb56, 0xb57 },     { 0xbbe, 0xbbe },     { 0xbd7, 0xbd7 },
	{ 0xc56, 0xc56 },     { 0xcc2, 0xcc2 },     { 0xcd5, 0xcd6 },     { 0xd3e, 0xd3e },     { 0xd57, 0xd57 },
	{ 0xdca, 0xdca },     { 0xdcf, 0xdcf },     { 0xddf, 0xddf },     { 0x102e, 0x102e },   { 0x1b35, 0x1b35 },
	{ 0x3099, 0x309a },   { 0x110ba, 0x110ba }, { 0x11127, 0x11127 }, { 0x1133e, 0x1133e }, { 0x11357, 0x11357 },
	{ 0x114b0, 0x114b0 }, { 0x114ba, 0x114ba }, { 0x114bd, 0x114bd }, { 0x115af, 0x115af }, { 0x11930, 0x11930 },
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
	return has(marks, character) || has(combining, character) || has(other_forms, character);
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
