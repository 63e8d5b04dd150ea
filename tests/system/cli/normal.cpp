// SPDX-License-Identifier: BSD-2-Clause
// Normal deviates: their distribution with a fixed keystream, and their rounding.
#include "doctest/doctest.h"

#include <cmath>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "common/draws.hpp"
#include "../../support/statistics.hpp"
#include "sources.hpp"

namespace {

// P(Z < z)
double below(double z)
{
	return std::erfc(-z / std::sqrt(2.0)) / 2;
}

} // namespace

// Catches a step of the algorithm with another probability.
TEST_CASE("normal: intervals of equal probability are hit equally often")
{
	constexpr std::size_t places = 256;
	constexpr int draws = 400'000;
	keyed_source source(2);
	std::vector<std::uint64_t> counts(places);
	int beyond_3 = 0;
	for (int i = 0; i < draws; i++) {
		const double z = draw_normal(source);
		counts[static_cast<std::size_t>(below(z) * places)]++;
		beyond_3 += std::fabs(z) > 3 ? 1 : 0;
	}
	// The key is fixed, so the result is deterministic.
	const double p = statistics::p_of_equal_counts(counts, places - 1);
	CHECK(p > 1e-3);
	CHECK(p < 1 - 1e-3);
	// 1079.9 are expected, with a standard deviation of 32.8.
	CHECK(std::abs(beyond_3 - 1080) < 100);
}

// Catches a uniform number's digits that are used for two numbers.
TEST_CASE("normal: neighbours are independent")
{
	constexpr int draws = 100'000;
	keyed_source source(3);
	double last = draw_normal(source);
	double product = 0;
	for (int i = 0; i < draws; i++) {
		const double next = draw_normal(source);
		product += last * next;
		last = next;
	}
	CHECK(std::fabs(product) < 5 * std::sqrt(static_cast<double>(draws)));
}

// Catches digits that are truncated instead of rounded, or too few of them near 0.
TEST_CASE("normal: rounded to the nearest double")
{
	// In the order of the draws: 0.25 is below 1/2, and 0.5 is not below 0.25: a run of length 1 stops k at 0.  A
	// number of all ones is not below x: a run of length 0 accepts x, whose first digit that comparison draws.
	// Then follow its other digits, as many as 54 significant bits need, and the sign.
	const auto draw = [](std::deque<std::uint64_t> rest) {
		rest.insert(rest.begin(), { 0x40000000, 0x80000000, 0xffffffff });
		scripted_source source(std::move(rest));
		return draw_normal(source);
	};
	CHECK(draw({ 0x80000000, 0, 0 }) == 0.5);
	CHECK(draw({ 0x80000000, 0, 1 }) == -0.5);
	// 53 bits end in bit 21 of the second digit; the next bit decides the rounding.
	CHECK(draw({ 0x80000000, 0x000003ff, 0 }) == 0.5);
	CHECK(draw({ 0x80000000, 0x00000400, 0 }) == 0.5 + 0x1p-53);
	CHECK(draw({ 0x80000000, 0xffffffff, 0 }) == 0.5 + 0x1p-32);
	// With leading zeros the same number of significant bits ends in the third digit.
	CHECK(draw({ 0x00000001, 0, 0x000007ff, 0 }) == 0x1p-32);
	CHECK(draw({ 0x00000001, 0, 0x00000800, 0 }) == 0x1p-32 + 0x1p-84);
}
