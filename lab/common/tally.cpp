// SPDX-License-Identifier: BSD-2-Clause
#include "tally.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lab {

std::uint64_t tally::count() const
{
	return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{ long_.size() });
}

std::uint64_t tally::percentile(double part) const
{
	const std::uint64_t all = count();
	if (all == 0)
		return 0;
	// The n-th smallest value, from 0.
	auto rank = static_cast<std::uint64_t>(std::max(std::ceil(part * static_cast<double>(all)), 1.0)) - 1;
	rank = std::min(rank, all - 1);
	for (std::size_t ticks = 0; ticks < counts_.size(); ticks++) {
		if (rank < counts_[ticks])
			return ticks;
		rank -= counts_[ticks];
	}
	std::vector<std::uint64_t> rest = long_;
	const auto at = rest.begin() + static_cast<std::ptrdiff_t>(rank);
	std::nth_element(rest.begin(), at, rest.end());
	return *at;
}

double tally::mean() const
{
	const std::uint64_t all = count();
	double sum = 0;
	for (std::size_t ticks = 0; ticks < counts_.size(); ticks++)
		sum += static_cast<double>(ticks) * counts_[ticks];
	for (const std::uint64_t ticks : long_)
		sum += static_cast<double>(ticks);
	return all != 0 ? sum / static_cast<double>(all) : 0;
}

std::uint64_t tally::step() const
{
	std::uint64_t divisor = 0;
	for (std::size_t ticks = 0; ticks < counts_.size(); ticks++)
		if (counts_[ticks] != 0)
			divisor = std::gcd(divisor, std::uint64_t{ ticks });
	return divisor;
}

} // namespace lab
