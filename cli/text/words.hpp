// SPDX-License-Identifier: BSD-2-Clause
// Lists of words for phrases.
#ifndef CPRNG_CLI_TEXT_WORDS_HPP
#define CPRNG_CLI_TEXT_WORDS_HPP

#include <string>
#include <string_view>
#include <vector>

// text/words/eff-long.txt
extern const std::string_view builtin_words;

// The words of a list: the last field of each line, so that the numbers of lists for dice are left out; lines that begin
// with # are none.  Throws runtime_failure with that name if a word comes twice or there is none.
std::vector<std::string> parse_words(const std::string &name, std::string_view text);

// Whether words that are joined by the separator can be separated again: none, with the separator, is the beginning of another.
// Only then are different choices different phrases.
bool are_distinct_phrases(const std::vector<std::string> &words, const std::string &separator);

#endif
