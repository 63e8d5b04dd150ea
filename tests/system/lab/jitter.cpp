// SPDX-License-Identifier: BSD-2-Clause
// Min-entropy estimates, for samples of known min-entropy.
#include <cmath>

#include <doctest/doctest.h>

#include "../../../lab/origins/engines/simple.hpp"
#include "../../../lab/jitter/estimates.hpp"

namespace {

using namespace lab::jitter;

constexpr std::size_t count = 200000;

// Equally likely values, from a generator that no estimator can predict.
sample_list uniform(unsigned int values)
{
	lab::xoshiro256pp g;
	const unsigned char key[32] = { 1, 2, 3 };
	g.key(key, sizeof(key), nullptr);
	sample_list samples(count);
	for (std::uint8_t &s : samples)
		s = static_cast<std::uint8_t>(g.next32() % values);
	return samples;
}

// Catches a positive estimate where there is no entropy.
TEST_CASE("jitter: a constant has no entropy by any estimate")
{
	const sample_list samples(count, 7);
	CHECK(most_common_value(samples) == 0);
	CHECK(markov(samples) == 0);
	CHECK(successor(samples) == 0);
	CHECK(best_lag(samples) == 0);
	CHECK(longest_run(samples) == count);
	CHECK(fullest_window(samples) == 512);
}

// Catches an estimate above the true entropy, or far below.
TEST_CASE("jitter: uniform values have their bits, less what the bounds take off, by all")
{
	for (const unsigned int bits : { 1u, 2u, 4u }) {
		CAPTURE(bits);
		const sample_list samples = uniform(1u << bits);
		for (const double estimate :
		     { most_common_value(samples), markov(samples), successor(samples), best_lag(samples) }) {
			CHECK(estimate <= bits + 0.001);
			CHECK(estimate > 0.9 * bits);
		}
		CHECK(longest_run(samples) < 64);
		CHECK(fullest_window(samples) < 512 * 3 / 4);
	}
}

// Catches a Markov or successor estimate that considers only single values.
TEST_CASE("jitter: a cycle of four is seen by what looks at the samples before, and by nothing else")
{
	sample_list samples(count);
	for (std::size_t i = 0; i < count; i++)
		samples[i] = static_cast<std::uint8_t>(i % 4);
	CHECK(most_common_value(samples) > 1.9);
	CHECK(markov(samples) < 0.02); // 2 bits for the first of 128
	CHECK(successor(samples) == 0);
	CHECK(best_lag(samples) == 0);
	CHECK(longest_run(samples) == 1);
	CHECK(fullest_window(samples) == 128);
}

// Catches a lag that is not tried, or one too many.
TEST_CASE("jitter: a repetition after more samples than one is seen by the lag alone")
{
	sample_list samples = uniform(16);
	for (std::size_t i = 100; i < count; i++)
		samples[i] = samples[i - 100];
	CHECK(best_lag(samples) < 0.01);
	CHECK(most_common_value(samples) > 2);
	// A repetition after more than 128 is not searched for.
	samples = uniform(16);
	for (std::size_t i = 1000; i < count; i++)
		samples[i] = samples[i - 1000];
	CHECK(best_lag(samples) > 2);
}

// Catches a most common value that is not counted.
TEST_CASE("jitter: half of the samples alike are a bit")
{
	sample_list samples = uniform(256);
	for (std::size_t i = 0; i < count; i += 2)
		samples[i] = 9;
	CHECK(most_common_value(samples) == doctest::Approx(-std::log2(0.5 + 0.5 / 256)).epsilon(0.02));
	// Half of the pairs begin with the 9, which does not predict the next; all other values are followed by it.
	CHECK(successor(samples) < 1);
	CHECK(best_lag(samples) == doctest::Approx(1).epsilon(0.02));
}

// Catches a division by zero.
TEST_CASE("jitter: no samples, and too few, have none")
{
	for (const std::size_t n : { 0u, 1u }) {
		const sample_list samples(n, 3);
		CHECK(most_common_value(samples) == 0);
		CHECK(markov(samples) == 0);
		CHECK(successor(samples) == 0);
		CHECK(best_lag(samples) == 0);
		CHECK(longest_run(samples) == n);
		CHECK(fullest_window(samples) == 0);
	}
}

} // namespace
