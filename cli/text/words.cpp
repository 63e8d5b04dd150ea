// SPDX-License-Identifier: BSD-2-Clause
#include "text/words.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "common/error.hpp"

std::vector<std::string> parse_words(const std::string &name, std::string_view text)
{
	constexpr std::string_view blanks = " \t\r";
	std::vector<std::string> words;
	while (!text.empty()) {
		std::string_view line = text.substr(0, text.find('\n'));
		text.remove_prefix(std::min(text.size(), line.size() + 1));
		const std::size_t last = line.find_last_not_of(blanks);
		if (last == std::string_view::npos || line.front() == '#')
			continue;
		line = line.substr(0, last + 1);
		const std::size_t gap = line.find_last_of(blanks);
		words.emplace_back(gap == std::string_view::npos ? line : line.substr(gap + 1));
	}
	if (words.empty())
		throw runtime_failure(fmt::format("{}: there is no word in it", name));
	std::vector<std::string> sorted = words;
	std::sort(sorted.begin(), sorted.end());
	const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
	if (twice != sorted.end())
		throw runtime_failure(fmt::format("{}: {} comes twice", name, quote(*twice)));
	return words;
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
