// SPDX-License-Identifier: BSD-2-Clause
// The health tests of the sources: both sides of each cut-off, and the false alarm rate.
#include "doctest/doctest.h"

#include "../../support/run.hpp"

#include "fortuna/health.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

namespace {

const cprng_health_limits *const all_limits[] = { &cprng_health_jitter, &cprng_health_word };

class Source {
public:
	explicit Source(const cprng_health_limits *limits)
	{
		std::memset(&health, 0xa5, sizeof(health));
		cprng_health_init(&health, limits);
	}

	bool feed(std::uint64_t sample)
	{
		return cprng_health_sample(&health, sample);
	}

	// Feeds the sample `count` times; returns how many of them passed.
	unsigned int repeat(std::uint64_t sample, unsigned int count)
	{
		unsigned int passed = 0;

		for (unsigned int i = 0; i < count; i++)
			passed += feed(sample) ? 1u : 0u;
		return passed;
	}

	// Samples that occur only once, which every test accepts.
	bool fill(unsigned int count)
	{
		bool passed = true;

		while (count-- > 0)
			passed = feed(next++) && passed;
		return passed;
	}

	cprng_health_state state() const
	{
		return static_cast<cprng_health_state>(health.state);
	}

	cprng_health health;

private:
	std::uint64_t next = 1000000;
};

} // namespace

// Catches a repetition count test that is off by one.
TEST_CASE("health: as many in a row as the cut-off, and one less")
{
	for (const cprng_health_limits *limits : all_limits) {
		const unsigned int cutoff = limits->repetition;
		CAPTURE(cutoff);

		for (const std::uint64_t sample : { 0ull, 7ull, ~0ull }) {
			Source below(limits), at(limits), later(limits);

			CHECK(below.repeat(sample, cutoff - 1) == cutoff - 1);
			CHECK(below.feed(sample ^ 1));
			CHECK(!cprng_health_failed(&below.health));

			CHECK(at.repeat(sample, cutoff - 1) == cutoff - 1);
			CHECK(!at.feed(sample));
			CHECK(at.state() == CPRNG_HEALTH_FAILED_REPETITION);

			// Also after the start-up test, and across the end of a window.
			CHECK(later.fill(CPRNG_HEALTH_WINDOW - 1));
			CHECK(later.repeat(sample, cutoff - 1) == cutoff - 1);
			CHECK(!later.feed(sample));
			CHECK(later.state() == CPRNG_HEALTH_FAILED_REPETITION);
		}
	}
}

// Catches a repetition count that a different sample does not reset.
TEST_CASE("health: a run that is interrupted begins again")
{
	Source source(&cprng_health_jitter);
	const unsigned int cutoff = cprng_health_jitter.repetition;

	CHECK(source.fill(1)); // starts the first window, so that the next sample is not its first
	for (std::uint64_t value = 0; value < 20; value++)
		CHECK(source.repeat(value, cutoff - 1) == cutoff - 1);
}

// Catches an adaptive proportion test that is off by one, or that counts across windows.
TEST_CASE("health: as many of a window as the cut-off, and one less")
{
	const unsigned int cutoff = cprng_health_jitter.proportion, some = 300;
	REQUIRE(some < cprng_health_jitter.repetition);
	REQUIRE(cutoff - some < cprng_health_jitter.repetition);
	REQUIRE(cutoff < CPRNG_HEALTH_WINDOW);

	for (unsigned int windows = 0; windows < 3; windows++) {
		Source below(&cprng_health_jitter), at(&cprng_health_jitter);

		CHECK(below.fill(windows * CPRNG_HEALTH_WINDOW));
		CHECK(below.repeat(5, some) == some);
		CHECK(below.fill(1));
		CHECK(below.repeat(5, cutoff - 1 - some) == cutoff - 1 - some);
		CHECK(below.fill(CPRNG_HEALTH_WINDOW - cutoff));
		// The window is over, and the count of the next one starts at zero.
		CHECK(below.repeat(5, some) == some);
		CHECK(below.fill(1));
		CHECK(below.repeat(5, cutoff - 1 - some) == cutoff - 1 - some);
		CHECK(!below.feed(5));
		CHECK(below.state() == CPRNG_HEALTH_FAILED_PROPORTION);

		CHECK(at.fill(windows * CPRNG_HEALTH_WINDOW));
		CHECK(at.repeat(5, some) == some);
		CHECK(at.fill(1));
		CHECK(at.repeat(5, cutoff - 1 - some) == cutoff - 1 - some);
		CHECK(!at.feed(5));
		CHECK(at.state() == CPRNG_HEALTH_FAILED_PROPORTION);
	}
}

// Catches a window whose end is off by one, and a comparison with a sample other than the window's first.
TEST_CASE("health: words of a window against its first")
{
	Source last(&cprng_health_word), next(&cprng_health_word), others(&cprng_health_word);

	CHECK(last.feed(0));
	CHECK(last.fill(CPRNG_HEALTH_WINDOW - 2));
	CHECK(!last.feed(0));
	CHECK(last.state() == CPRNG_HEALTH_FAILED_PROPORTION);

	CHECK(next.feed(0));
	CHECK(next.fill(CPRNG_HEALTH_WINDOW - 1));
	CHECK(next.feed(0)); // first sample of the next window
	CHECK(next.fill(CPRNG_HEALTH_WINDOW - 1));
	CHECK(next.fill(1));
	CHECK(next.feed(0));

	// The standard compares only with the first sample.
	CHECK(others.feed(1));
	for (int i = 0; i < 100; i++) {
		CHECK(others.feed(2));
		CHECK(others.feed(3));
	}
}

// Catches a failed source that is used again.
TEST_CASE("health: a source that has failed stays failed")
{
	for (const cprng_health_limits *limits : all_limits) {
		Source source(limits);

		source.repeat(0, limits->repetition);
		REQUIRE(cprng_health_failed(&source.health));
		const cprng_health_state state = source.state();
		const std::uint64_t samples = source.health.samples;
		CHECK(samples == limits->repetition - 1u); // the number of samples that passed
		for (unsigned int i = 0; i < 3000; i++)
			CHECK(!source.fill(1));
		CHECK(source.state() == state);
		CHECK(source.health.samples == samples);
	}
}

// Catches credit before the end of the start-up test, and a source that never gets credit.
TEST_CASE("health: starting until enough samples have passed")
{
	for (const cprng_health_limits *limits : all_limits) {
		Source source(limits);

		CHECK(source.state() == CPRNG_HEALTH_STARTING);
		CHECK(source.fill(CPRNG_HEALTH_START_UP - 1));
		CHECK(source.state() == CPRNG_HEALTH_STARTING);
		CHECK(source.fill(1));
		CHECK(source.state() == CPRNG_HEALTH_HEALTHY);
		CHECK(source.health.samples == CPRNG_HEALTH_START_UP);
		CHECK(source.fill(5000));
		CHECK(source.state() == CPRNG_HEALTH_HEALTHY);
	}
}

// Catches a state that needs initialisation: a wiped page contains only zeros.
TEST_CASE("health: all zero but for the limits is a source that starts")
{
	for (const cprng_health_limits *limits : all_limits) {
		cprng_health zero, made;

		std::memset(&zero, 0, sizeof(zero));
		std::memset(&made, 0xff, sizeof(made));
		zero.limits = limits;
		cprng_health_init(&made, limits);
		CHECK(std::memcmp(&zero, &made, sizeof(zero)) == 0);
	}
}

// A source with exactly the claimed entropy: one value has probability 2^-H, and the others are rare.  The false alarm rate
// is 2^-40 per sample and window, and below 2^-17 for a run's volume.
// Catches cut-offs that are too low.
TEST_CASE("health: no false alarm at the claimed entropy")
{
	run::Random random("health: claimed entropy");
	const auto threshold =
		static_cast<std::uint64_t>(std::exp2(64.0 - cprng_health_jitter.entropy / 16.0)); // of 2^64
	Source jitter(&cprng_health_jitter), word(&cprng_health_word);
	const auto volume = static_cast<unsigned int>(run::seconds * 1000000);

	for (unsigned int i = 0; i < volume; i++) {
		const std::uint64_t w = random.word();
		if (!jitter.feed(w < threshold ? 17 : w & 0xff) || !word.feed(w))
			break;
	}
	CHECK(jitter.state() == CPRNG_HEALTH_HEALTHY);
	CHECK(word.state() == CPRNG_HEALTH_HEALTHY);
}

// On average 509 of 512 samples have the usual value.  A window fails with probability above 1/2, so fifty windows pass with
// probability below 2^-50.
// Catches cut-offs that are too high to detect anything.
TEST_CASE("health: a source with a fifteenth of the claimed entropy is detected")
{
	run::Random random("health: biased");
	Source source(&cprng_health_jitter);
	bool failed = false;

	for (unsigned int i = 0; i < 50 * CPRNG_HEALTH_WINDOW && !failed; i++)
		failed = !source.feed(random.below(170) == 0 ? 1 + random.below(255) : 0);
	CHECK(failed);
}

// Catches tests whose limits differ from those of SP 800-90B.
TEST_CASE("health: a bit that is stuck is not seen, all bits are")
{
	run::Random random("health: stuck bit");

	for (unsigned int bit = 0; bit < 64; bit++) {
		Source word(&cprng_health_word);
		for (unsigned int i = 0; i < 2 * CPRNG_HEALTH_START_UP; i++)
			REQUIRE(word.feed(random.word() | 1ull << bit));
	}

	// One varying bit has eight times the entropy claimed for jitter.
	Source one(&cprng_health_jitter), none(&cprng_health_jitter);
	for (unsigned int i = 0; i < 20 * CPRNG_HEALTH_START_UP; i++)
		REQUIRE(one.feed(random.coin() ? 0x12 : 0x13));
	CHECK(none.repeat(0x12, 1000) == cprng_health_jitter.repetition - 1u);
}
