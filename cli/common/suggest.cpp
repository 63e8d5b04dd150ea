// SPDX-License-Identifier: BSD-2-Clause
#include "common/suggest.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "common/error.hpp"

namespace {

// Longer words are unlikely to be typing errors, and the distance takes quadratic time.
constexpr std::size_t longest = 40;

// Insertions, deletions, substitutions and exchanges of neighbours (Damerau, doi:10.1145/363958.363994; in the form of
// "optimal string alignment", in which no letter is touched twice).
std::size_t distance(std::string_view a, std::string_view b)
{
	std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
	for (std::size_t i = 0; i <= a.size(); i++)
		steps[i][0] = i;
	for (std::size_t j = 0; j <= b.size(); j++)
		steps[0][j] = j;
	for (std::size_t i = 1; i <= a.size(); i++)
		for (std::size_t j = 1; j <= b.size(); j++) {
			const std::size_t other = a[i - 1] == b[j - 1] ? 0 : 1;
			std::size_t best =
				std::min({ steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + other });
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = std::min(best, steps[i - 2][j - 2] + 1);
			steps[i][j] = best;
		}
	return steps[a.size()][b.size()];
}

} // namespace

std::string lower(std::string_view text)
{
	std::string result(text);
	for (char &c : result)
		if (c >= 'A' && c <= 'Z')
			c = static_cast<char>(c - 'A' + 'a');
	return result;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string> &known)
{
	if (typed.empty() || typed.size() > longest)
		return {};
	const std::string word = lower(typed);
	const std::string *nearest = nullptr;
	// Up to a third of the letters may be wrong, and at least one.
	std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
	for (const std::string &candidate : known) {
		std::size_t steps = distance(word, lower(candidate));
		// An unfinished word is nearest to its completion.
		if (word.size() >= 3 && candidate.size() > word.size() && candidate.compare(0, word.size(), word) == 0)
			steps = 1;
		if (steps < least && steps < std::max(word.size(), candidate.size())) {
			least = steps;
			nearest = &candidate;
		}
	}
	return nearest == nullptr ? std::string() : fmt::format("; did you mean {}?", quote(*nearest));
}

void refuse_unknown(std::string_view what, std::string_view typed, const std::vector<std::string> &known)
{
	throw usage_error(fmt::format("{}: {} is unknown{} (known: {})", what, quote(typed), did_you_mean(typed, known),
				      fmt::join(known, " ")));
}
