// SPDX-License-Identifier: BSD-2-Clause
// Lists of words for phrases.
#ifndef CPRNG_CLI_TEXT_WORDS_HPP
#define CPRNG_CLI_TEXT_WORDS_HPP

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct word_list {
	std::string_view name;
	// One a line.
	std::string_view words;
};

// text/words/eff.txt; the first is the usual one.
extern const word_list builtin_words[3];

// The last field of each line (dice lists number their words); lines that begin with # are comments.  Throws
// runtime_failure with that name for an empty list, a repeated word, an invisible character, or a character that another keyboard
// may produce in another form.
std::vector<std::string> parse_words(const std::string &name, std::string_view text);

// Take the first character of a non-empty text.  A byte that is not UTF-8 counts as the visible character '?'.
std::uint32_t take_character(std::string_view &text);

bool is_invisible(std::uint32_t character);

// Whether the Unicode normalisation NFC replaces the character, or may combine it with the one before.
bool has_other_form(std::uint32_t character);

// A word that comes twice, or an empty text.
std::string repeated_word(std::vector<std::string> words);

// Whether joined words can be separated again: no word with the separator is a prefix of another.  Only then do
// different choices give different phrases.
bool are_distinct_phrases(const std::vector<std::string> &words, const std::string &separator);

#endif
