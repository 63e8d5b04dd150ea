// SPDX-License-Identifier: BSD-2-Clause
// One mode or two, for values of known distribution.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <vector>

#include "../../../lab/common/modes.hpp"

using namespace lab;

namespace {

constexpr int samples = 1000;
constexpr std::size_t values_of_a_sample = 28; // seven repetitions of four layouts

// The number of samples in a thousand in which two modes are found.
template <typename Draw> int found(Draw draw, std::size_t size = values_of_a_sample)
{
	std::mt19937_64 chance(1); // NOLINT: the same in every run of the test
	int count = 0;
	for (int i = 0; i < samples; i++) {
		std::vector<double> values;
		for (std::size_t n = 0; n < size; n++)
			values.push_back(draw(chance));
		count += has_two_modes(values);
	}
	return count;
}

} // namespace

// Catches a coefficient other than Sarle's.
TEST_CASE("modes: the coefficient of distributions that are known")
{
	std::mt19937_64 chance(1); // NOLINT
	std::normal_distribution<double> normal;
	std::uniform_real_distribution<double> uniform;
	std::vector<double> normals, uniforms, two;
	for (int i = 0; i < 200000; i++) {
		normals.push_back(normal(chance));
		uniforms.push_back(uniform(chance));
		two.push_back(i % 2);
	}
	CHECK(bimodality(normals) == doctest::Approx(1.0 / 3).epsilon(0.02));
	CHECK(bimodality(uniforms) == doctest::Approx(bimodality_of_uniform).epsilon(0.02));
	CHECK(bimodality(two) == doctest::Approx(1).epsilon(0.001));
	CHECK(bimodality({ 1, 2, 3 }) == 0);
	CHECK(bimodality({ 2, 2, 2, 2, 2 }) == 0);
}

// Catches a split that is not optimal.
TEST_CASE("modes: the classes are those with the least squares")
{
	const two_classes two = classes_of({ 3.1, 1.0, 3.0, 1.1, 0.9, 1.0, 3.2 });
	CHECK(two.low == doctest::Approx(1.0));
	CHECK(two.high == doctest::Approx(3.1));
	CHECK(two.low_count == 4);
	CHECK(two.high_count == 3);
}

// Catches two modes reported for one with a tail or noise.
TEST_CASE("modes: one is not taken for two")
{
	std::normal_distribution<double> normal(1.6, 0.05), wide(1.6, 0.3);
	std::lognormal_distribution<double> tail(0, 0.3);
	CHECK(found([&](auto &chance) { return normal(chance); }) <= samples / 100);
	CHECK(found([&](auto &chance) { return wide(chance); }) <= samples / 100);
	CHECK(found([&](auto &chance) { return tail(chance); }) <= samples / 10);
	// One in ten was disturbed and took twice as long.
	std::bernoulli_distribution disturbed(0.07);
	CHECK(found([&](auto &chance) { return normal(chance) * (disturbed(chance) ? 2 : 1); }) <= samples / 10);
	// Two values that are equal when rounded to three digits.
	CHECK(found([&](auto &chance) { return 1.6 + (disturbed(chance) ? 1e-6 : 0); }) == 0);
	CHECK_FALSE(has_two_modes({ 1.6, 1.6, 1.6, 1.6 }));
	CHECK_FALSE(has_two_modes({}));
}

// Catches two modes that count as noise.
TEST_CASE("modes: two are found, of equal and of unequal parts")
{
	std::normal_distribution<double> low(1.52, 0.04), high(2.31, 0.04);
	for (const double part : { 0.5, 0.35 }) {
		CAPTURE(part);
		std::bernoulli_distribution is_high(part);
		CHECK(found([&](auto &chance) { return is_high(chance) ? high(chance) : low(chance); }) >=
		      samples * 9 / 10);
	}
	// By process, as layouts vary: 2.0 in most and 3.0 to 3.3 in some.
	CHECK(has_two_modes(
		{ 2.0, 2.02, 3.1, 1.99, 3.3, 2.01, 2.03, 3.0, 2.02, 2.04, 3.2, 2.01, 3.1, 2.0, 1.98, 3.1 }));
}
