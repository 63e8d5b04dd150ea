// SPDX-License-Identifier: BSD-2-Clause
// Inlined draws and draws by function call keep the same promises, in every placement.
#include "../../support/run.hpp"
#include "../../support/statistics.hpp"
#include "../../support/buffers.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/registers.hpp"
#include "../../support/repeats.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

// Every bit of the type is 1 about half the time, by the normal approximation.
void check_bits(const char *what, unsigned int bits, const std::function<std::uint64_t()> &draw)
{
	const std::size_t n = machine::scaled(1000000, 20000);
	std::vector<std::size_t> ones(bits);

	for (std::size_t i = 0; i < n; i++) {
		const std::uint64_t v = draw();
		REQUIRE((bits == 64 || v >> bits == 0));
		for (unsigned int b = 0; b < bits; b++)
			ones[b] += v >> b & 1;
	}
	for (unsigned int b = 0; b < bits; b++) {
		const double mean = static_cast<double>(ones[b]) / static_cast<double>(n);
		statistics::check_mean(mean, 0.5, 0.5, static_cast<double>(n),
				       std::string(what) + ", bit " + std::to_string(b));
	}
}

} // namespace

// Catches a width with a stuck bit, or with bits above its own.
TEST_CASE("contract: all bits of all widths")
{
	check_bits("8", 8, [] { return cprng_fast8(); });
	check_bits("16", 16, [] { return cprng_fast16(); });
	check_bits("32", 32, [] { return cprng_fast32(); });
	check_bits("64", 64, [] { return cprng_fast64(); });
	check_bits("8, not inlined", 8, [] { return outline::fast8(); });
	check_bits("16, not inlined", 16, [] { return outline::fast16(); });
	check_bits("32, not inlined", 32, [] { return outline::fast32(); });
	check_bits("64, not inlined", 64, [] { return outline::fast64(); });
	check_bits("slow, 8", 8, [] { return cprng_draw_slow_1(1); });
	check_bits("slow, 64", 64, [] { return cprng_draw_slow_1(8); });
}

// Inlined draws and calls alternate on the same buffers and must not serve the same bytes.  False alarms: a repeat among
// 10^6 values, 2^-25; a zero, 2^-44.
// Catches bytes that both an inlined draw and a call serve.
TEST_CASE("contract: no value from both")
{
	const std::size_t n = machine::scaled(1000000, 10000);
	Served served(3 * n + 16);

	for (std::size_t i = 0; i < n; i += 3) {
		unsigned char bytes[8];
		cprng_fast(bytes, sizeof(bytes));
		for (std::uint64_t v : { cprng_fast64(), outline::fast64(), window_at(bytes) })
			served.add(v);
		unsigned char called[16], inlined[16];
		outline::fast(called, sizeof(called));
		cprng_fast(inlined, sizeof(inlined));
		for (const unsigned char *v : { called, called + 8, inlined, inlined + 8 })
			served.add(window_at(v));
	}
	CHECK(served.zeros == 0);
	CHECK(served.repeats == 0);
}

namespace {

// Makes several draws of one length, each to another address.  A byte with the same value in all draws was not written.  Two
// offsets with the same values in all draws hold the same byte.  False alarms: 2^-72 for each of 10^6 bytes, 2^-80 for each
// of 10^9 pairs.
template <typename Draw> void check_exactly(run::Random &random, std::size_t len, Draw draw)
{
	std::vector<std::string> values(len);

	INFO(len << " bytes");
	for (int i = 0; i < 10; i++) {
		Guarded a(len, random.below(64));
		draw(a.data());
		CHECK(a.intact());
		for (std::size_t at = 0; at < len; at++)
			values[at].push_back(static_cast<char>(a.data()[at]));
	}
	for (const std::string &of_byte : values)
		CHECK(of_byte != std::string(of_byte.size(), of_byte[0]));
	CHECK(std::set<std::string>(values.begin(), values.end()).size() == len);
}

template <std::size_t... lengths> void check_exactly_each(run::Random &random, std::index_sequence<lengths...>)
{
	(check_exactly(random, lengths, [](void *buf) { cprng_fast(buf, lengths); }), ...);
}

} // namespace

// Catches a byte that a request does not write, serves twice, or writes outside: for each size known at compile time, and for
// every length at every alignment.
TEST_CASE("contract: exactly the bytes that were asked for")
{
	run::Random random("exactly");

	cprng_fast(nullptr, 0);
	check_exactly_each(random, std::make_index_sequence<70>());
	for (std::size_t len = 0; len <= 1100; len++)
		check_exactly(random, len, [len](void *buf) { cprng_fast(buf, len); });
}

namespace {

unsigned char drawn[70000];
std::uint64_t integers[1000];
constexpr void (*draws[])() = {
	[] { cprng_fast(drawn, 16); },
	[] { cprng_fast(drawn, 64); },
	[] { cprng_fast(drawn, 500); },
	[] { cprng_fast(drawn, sizeof(drawn)); },
	[] { cprng_strong(drawn, 3000); },
	[] {
		cprng_invalidate();
		cprng_fast(drawn, 500);
	},
	[] { (void)!cprng_sample(integers, 1000, 3999); },
	[] { (void)!cprng_sample(integers, 1000, 1000000); },
	[] { cprng_shuffle(integers, 1000, 8); },
};

} // namespace

// Catches a vector register in which a draw leaves keystream, and a register of the caller that it changes; uses no traps.
TEST_CASE("contract: a draw keeps the caller's registers, and leaves in vectors zeros or what was there")
{
	SKIP_IF(CPRNG_TESTS_SANITIZED, "sanitizers keep values of their own");
	registers::Contents contents;

	if (!registers::left_by(draws[0], &contents)) {
		SKIPPED("the test does not know this processor's registers");
		return;
	}
	for (const auto draw : draws) {
		for (int i = 0; i < 200; i++) {
			REQUIRE(registers::left_by(draw, &contents));
			REQUIRE(contents.kept);
			for (std::size_t vector = 0; vector < contents.number_of_vectors; vector++) {
				const std::uint8_t *const begin = contents.vectors + 64 * vector;
				REQUIRE(std::all_of(begin, begin + contents.bytes_of_a_vector,
						    [](std::uint8_t b) { return b == 0 || b == registers::pattern; }));
			}
		}
	}
}
