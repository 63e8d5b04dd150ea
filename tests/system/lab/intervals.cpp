// SPDX-License-Identifier: BSD-2-Clause
// The intervals of the lab's statistical clock do not depend on any row's draws.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "../../../lab/origins/statclock/intervals.hpp"

namespace {

constexpr std::uint32_t period = 500000;

std::vector<std::uint32_t> some(std::uint64_t seed)
{
	lab::statclock::intervals next(seed, period);
	std::vector<std::uint32_t> all(10000);
	std::generate(all.begin(), all.end(), [&next] { return next.next_ns(); });
	return all;
}

} // namespace

// Catches intervals with another mean or range, or equal ones in every repetition.
TEST_CASE("intervals of the statistical clock: half a period to one and a half, on the average a period")
{
	const std::vector<std::uint32_t> all = some(1);
	double sum = 0;
	for (const std::uint32_t one : all) {
		CHECK(one >= period / 2);
		CHECK(one < period / 2 + period);
		sum += one;
	}
	// Five standard deviations of the mean.
	CHECK(sum / static_cast<double>(all.size()) == doctest::Approx(period).epsilon(0.015));
	CHECK(*std::min_element(all.begin(), all.end()) < period * 0.51);
	CHECK(*std::max_element(all.begin(), all.end()) > period * 1.49);
	CHECK(some(1) == all);
	CHECK(some(2) != all);
}
