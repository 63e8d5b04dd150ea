// SPDX-License-Identifier: BSD-2-Clause
// Lists of words for phrases.
#ifndef CPRNG_CLI_TEXT_WORDS_HPP
#define CPRNG_CLI_TEXT_WORDS_HPP

#include <string>
#include <string_view>
#include <vector>

// text/words/eff-long.txt
extern const std::string_view builtin_words;

// The last field of each line (dice lists number their words); lines that begin with # are comments.  Throws
// runtime_failure with that name for an empty list, a repeated word, an invisible character, or a character that another keyboard
// may produce in another form.
std::vector<std::string> parse_words(const std::string &name, std::string_view text);

// A word that comes twice, or an empty text.
std::string repeated_word(std::vector<std::string> words);

// Whether joined words can be separated again: no word with the separator is a prefix of another.  Only then do
// different choices give different phrases.
bool are_distinct_phrases(const std::vector<std::string> &words, const std::string &separator);

#endif
