// SPDX-License-Identifier: BSD-2-Clause
#include "ratio.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace lab::compare {

namespace {

// Exact up to this size, where counts are integers below 2^53; beyond it the normal approximation is as good.
constexpr std::size_t exact_most = 20;

// P(U <= u) for u = 0, 1 ... if both samples have the same distribution.  The numbers of arrangements are the
// coefficients of a Gaussian binomial, the product over i of (1 - q^(m+i)) / (1 - q^i).
std::vector<double> exact_distribution(std::size_t m, std::size_t n)
{
	std::vector<double> count(m * n + 1);
	count[0] = 1;
	for (std::size_t i = 1; i <= n; i++) {
		for (std::size_t u = count.size(); u-- > m + i;)
			count[u] -= count[u - m - i];
		for (std::size_t u = i; u < count.size(); u++)
			count[u] += count[u - i];
	}
	std::partial_sum(count.begin(), count.end(), count.begin());
	const double all = count.back();
	for (double &c : count)
		c /= all;
	return count;
}

double normal_distribution(std::size_t m, std::size_t n, std::size_t u)
{
	const double both = static_cast<double>(m * n),
		     deviation = std::sqrt(both * static_cast<double>(m + n + 1) / 12);
	return 0.5 * std::erfc((both / 2 - static_cast<double>(u) - 0.5) / deviation / std::sqrt(2.0));
}

} // namespace

interval ratio_interval(const std::vector<double> &before, const std::vector<double> &after, double confidence)
{
	const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
	if (before.empty() || after.empty() || !std::all_of(before.begin(), before.end(), positive) ||
	    !std::all_of(after.begin(), after.end(), positive))
		return {};
	const std::size_t m = before.size(), n = after.size();
	const bool exact = m <= exact_most && n <= exact_most;
	const std::vector<double> known = exact ? exact_distribution(m, n) : std::vector<double>{};
	const auto probability = [&](std::size_t u) { return exact ? known[u] : normal_distribution(m, n, u); };

	// The number of ratios that may be left out at either end.
	const double tail = (1 - confidence) / 2;
	std::size_t out = 0;
	while (out < m * n / 2 && probability(out) <= tail)
		out++;
	if (out == 0)
		return {};

	std::vector<double> ratios;
	ratios.reserve(m * n);
	for (const double x : before)
		for (const double y : after)
			ratios.push_back(y / x);
	std::sort(ratios.begin(), ratios.end());
	return { true, ratios[out - 1], ratios[ratios.size() - out], 1 - 2 * probability(out - 1) };
}

} // namespace lab::compare
