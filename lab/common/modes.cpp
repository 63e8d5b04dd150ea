// SPDX-License-Identifier: BSD-2-Clause
#include "modes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "statistics.hpp"

namespace lab {

namespace {

constexpr double part_of_a_mode = 0.2, distance_of_modes = 0.05;

// The sum of squared deviations from the mean, for n values with these sums.
double squares(double sum, double sum_of_squares, double n)
{
	return sum_of_squares - sum * sum / n;
}

} // namespace

double bimodality(const std::vector<double> &values)
{
	const auto n = static_cast<double>(values.size());
	if (values.size() < 4)
		return 0;
	double mean = 0, m2 = 0, m3 = 0, m4 = 0;
	for (const double value : values)
		mean += value / n;
	for (const double value : values) {
		const double d = value - mean;
		m2 += d * d / n;
		m3 += d * d * d / n;
		m4 += d * d * d * d / n;
	}
	if (m2 <= 0)
		return 0;
	const double skewness = std::sqrt(n * (n - 1)) / (n - 2) * m3 / std::pow(m2, 1.5);
	const double excess = (n - 1) / ((n - 2) * (n - 3)) * ((n + 1) * (m4 / (m2 * m2) - 3) + 6);
	return (skewness * skewness + 1) / (excess + 3 * (n - 1) * (n - 1) / ((n - 2) * (n - 3)));
}

two_classes classes_of(std::vector<double> values)
{
	two_classes best;
	std::sort(values.begin(), values.end());
	double sum = 0, square = 0, all = 0, all_square = 0, least = INFINITY;
	for (const double value : values) {
		all += value;
		all_square += value * value;
	}
	std::size_t low_count = values.size();
	for (std::size_t i = 1; i < values.size(); i++) {
		sum += values[i - 1];
		square += values[i - 1] * values[i - 1];
		const double within = squares(sum, square, static_cast<double>(i)) +
				      squares(all - sum, all_square - square, static_cast<double>(values.size() - i));
		if (within < least) {
			least = within;
			low_count = i;
		}
	}
	const auto middle = values.begin() + static_cast<std::ptrdiff_t>(low_count);
	best.low_count = low_count;
	best.high_count = values.size() - low_count;
	best.low = spread_of(std::vector<double>(values.begin(), middle)).median;
	best.high = spread_of(std::vector<double>(middle, values.end())).median;
	return best;
}

bool has_two_modes(const std::vector<double> &values)
{
	if (bimodality(values) <= bimodality_of_uniform)
		return false;
	const two_classes two = classes_of(values);
	const double least = part_of_a_mode * static_cast<double>(values.size());
	return static_cast<double>(std::min(two.low_count, two.high_count)) >= least &&
	       two.high - two.low >= distance_of_modes * two.low;
}

} // namespace lab
