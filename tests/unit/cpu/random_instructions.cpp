// SPDX-License-Identifier: BSD-2-Clause
// Tests the output of the real CPU.
#include "../../support/polled.hpp"
#include "../../support/skips.hpp"

#include "cpu/random_instructions.h"

#include <set>

// Catches RDSEED or RDRAND that is read incorrectly, never succeeds, or is reported although the CPU lacks it.
TEST_CASE("random instructions: the real instructions")
{
	const std::uint32_t features = cprng_cpu_features();
	std::set<std::uint64_t> words;
	unsigned int answers = 0;

	for (int i = 0; i < 200; i++) {
		std::uint64_t word = 42;
		if (cprng_cpu_rdrand(&word)) {
			words.insert(word);
			answers++;
		} else {
			CHECK(word == 42);
		}
	}
	// Retries make a failure rare, and two equal 64-bit words do not occur.
	CHECK(words.size() == answers);
	CHECK((answers > 100) == ((features & RANDOM_BITS) != 0));

	// RDSEED fails while other cores use up its source's output, but not for this many calls in a row.
	words.clear();
	answers = 0;
	for (int i = 0; i < 100000 && answers < 20; i++) {
		std::uint64_t word = 42;
		if (cprng_cpu_rdseed(&word)) {
			words.insert(word);
			answers++;
		} else {
			REQUIRE(word == 42);
		}
	}
	CHECK(words.size() == answers);
	CHECK((answers > 0) == ((features & SEED_BITS) != 0));

	std::uint64_t word = 42;
	cprng_cpu_set_ceiling(0);
	CHECK(!cprng_cpu_rdrand(&word));
	CHECK(!cprng_cpu_rdseed(&word));
	CHECK(word == 42);
	cprng_cpu_set_ceiling(run::ceiling);
}

// Catches a counter that stands still, and a cache flush that changes memory.
TEST_CASE("random instructions: the counter goes on, and a flush leaves memory as it is")
{
	std::vector<std::uint8_t> memory = run::Random("random instructions: flush").bytes(4096);
	const std::vector<std::uint8_t> copy = memory;
	const std::uint64_t before = cprng_cpu_cycles();

	for (std::size_t i = 0; i < memory.size(); i += 7)
		(void)cprng_cpu_flush(&memory[i]);
	CHECK(memory == copy);
	if (before != 0) {
		std::uint64_t now = before;
		for (int i = 0; i < 1000000 && now == before; i++)
			now = cprng_cpu_cycles();
		CHECK(now > before);
	}
}

// Catches a counter period so long that a copy of the machine draws within the original's period and takes no random word.
TEST_CASE("random instructions: a period is as many counts as its comment says")
{
	constexpr std::uint64_t counts = 1 << 20;
	std::uint32_t first = 0, last = 0;
#ifdef __aarch64__
	std::uint64_t frequency;
	__asm__("mrs %0, cntfrq_el0" : "=r"(frequency));
	const int bits = 63 - __builtin_clzll(frequency >> 17 | 1);
#else
	const int bits = 14;
#endif

	fake_os.real_count = true;
	const std::uint64_t from = cprng_cpu_count(&first);
	std::uint64_t to = from;
	for (int i = 0; i < 100000000 && to - from < counts; i++)
		to = cprng_cpu_count(&last);
	fake_os = FakeOs();
	SKIP_IF(from == 0 && to == 0, "no counter");
	REQUIRE(to - from >= counts);
	CHECK(last - first == (to >> bits) - (from >> bits));
}
