// SPDX-License-Identifier: BSD-2-Clause
#include "estimates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lab::jitter {

namespace {

constexpr std::size_t values = 256, path = 128, lag_most = 128, window = 512;

using counts = std::array<std::size_t, values>;

// The min-entropy for a guess with this success rate: the upper end of its 99 % confidence interval, in bits.
double bits_of(std::size_t right, std::size_t tries)
{
	if (tries < 2)
		return 0;
	const double p = static_cast<double>(right) / static_cast<double>(tries);
	const double bound = p + 2.576 * std::sqrt(p * (1 - p) / static_cast<double>(tries - 1));
	return std::max(0.0, -std::log2(std::min(1.0, bound)));
}

counts count(const sample_list &samples)
{
	counts c = {};
	for (const std::uint8_t s : samples)
		c[s]++;
	return c;
}

// followed[a][b]: how often b followed a.
std::vector<counts> count_pairs(const sample_list &samples)
{
	std::vector<counts> followed(values, counts{});
	for (std::size_t i = 1; i < samples.size(); i++)
		followed[samples[i - 1]][samples[i]]++;
	return followed;
}

double log2_of(std::size_t part, std::size_t whole)
{
	return part == 0 ? -std::numeric_limits<double>::infinity() :
			   std::log2(static_cast<double>(part) / static_cast<double>(whole));
}

} // namespace

double most_common_value(const sample_list &samples)
{
	const counts c = count(samples);
	return bits_of(*std::max_element(c.begin(), c.end()), samples.size());
}

double markov(const sample_list &samples)
{
	if (samples.size() < 2)
		return 0;
	const counts c = count(samples);
	const std::vector<counts> followed = count_pairs(samples);
	std::vector<std::array<double, values>> step(values);
	std::array<double, values> best = {};
	for (std::size_t a = 0; a < values; a++) {
		std::size_t sum = 0;
		for (const std::size_t n : followed[a])
			sum += n;
		for (std::size_t b = 0; b < values; b++)
			step[a][b] = log2_of(followed[a][b], std::max<std::size_t>(sum, 1));
		best[a] = log2_of(c[a], samples.size());
	}
	for (std::size_t length = 1; length < path; length++) {
		std::array<double, values> next;
		next.fill(-std::numeric_limits<double>::infinity());
		for (std::size_t a = 0; a < values; a++)
			for (std::size_t b = 0; b < values; b++)
				next[b] = std::max(next[b], best[a] + step[a][b]);
		best = next;
	}
	return std::max(0.0, -*std::max_element(best.begin(), best.end()) / static_cast<double>(path));
}

double successor(const sample_list &samples)
{
	std::size_t right = 0;
	for (const counts &c : count_pairs(samples))
		right += *std::max_element(c.begin(), c.end());
	return samples.empty() ? 0 : bits_of(right, samples.size() - 1);
}

double best_lag(const sample_list &samples)
{
	double least = std::numeric_limits<double>::infinity();
	for (std::size_t lag = 1; lag <= lag_most && lag + 1 < samples.size(); lag++) {
		std::size_t right = 0;
		for (std::size_t i = lag; i < samples.size(); i++)
			right += samples[i] == samples[i - lag];
		least = std::min(least, bits_of(right, samples.size() - lag));
	}
	return std::isfinite(least) ? least : 0;
}

std::size_t longest_run(const sample_list &samples)
{
	std::size_t longest = 0, run = 0;
	for (std::size_t i = 0; i < samples.size(); i++) {
		run = i != 0 && samples[i] == samples[i - 1] ? run + 1 : 1;
		longest = std::max(longest, run);
	}
	return longest;
}

std::size_t fullest_window(const sample_list &samples)
{
	std::size_t fullest = 0;
	for (std::size_t begin = 0; begin + window <= samples.size(); begin += window) {
		const auto first = samples.begin() + static_cast<std::ptrdiff_t>(begin);
		fullest = std::max(fullest, static_cast<std::size_t>(std::count(first, first + window, *first)));
	}
	return fullest;
}

} // namespace lab::jitter
