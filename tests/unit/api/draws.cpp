// SPDX-License-Identifier: BSD-2-Clause
// Inlined and called draws keep the same promises, in every placement.
#include "../../support/run.hpp"
#include "../../support/statistics.hpp"
#include "../../support/buffers.hpp"
#include "../../support/internals.hpp"
#include "../../support/machine.hpp"
#include "../../support/outline.hpp"
#include "../../support/repeats.hpp"

#include <string>
#include <utility>
#include <vector>

namespace {

// Every bit of the type is 1 about half the time, by the normal approximation.
template <typename Draw> void check_bits(const char *what, unsigned int bits, Draw draw)
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

// Catches a number that reaches its bound or is biased, in either form of the function.
TEST_CASE("contract: numbers")
{
	for (std::uint32_t bound : { 2u, 3u, 6u, 1000u, 0x80000001u, 0xffffffffu }) {
		double mean_in = 0, mean_out = 0;
		const std::size_t n = machine::scaled(300000, 10000);
		for (std::size_t i = 0; i < n; i++) {
			const std::uint32_t in = cprng_uniform32(bound), out = outline::uniform32(bound);
			REQUIRE(in < bound);
			REQUIRE(out < bound);
			mean_in += in;
			mean_out += out;
		}
		const double d = static_cast<double>(n), b = bound;
		const double deviation = std::sqrt((b * b - 1) / 12);
		statistics::check_mean(mean_in / d, (b - 1) / 2, deviation, d, "inlined");
		statistics::check_mean(mean_out / d, (b - 1) / 2, deviation, d, "not inlined");
	}
	for (std::uint32_t bound : { 0u, 1u }) {
		CHECK(cprng_uniform32(bound) == 0);
		CHECK(outline::uniform32(bound) == 0);
	}
	for (std::size_t i = 0; i < machine::scaled(300000, 10000); i++) {
		const double in = cprng_double(), out = outline::real();
		REQUIRE((in >= 0 && in < 1));
		REQUIRE((out >= 0 && out < 1));
	}
}

// Alternating, from the same buffers: neither draws what the other has drawn.  False alarms: a repeat among 10^6,
// 2^-25; a zero, 2^-44.
// Catches bytes that both an inlined draw and a draw of the library serve.
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

template <std::size_t len> void check_exactly()
{
	Guarded a(len, len % 16), b(len, 0);
	std::vector<bool> written(len);

	cprng_fast(b.data(), len);
	for (int i = 0; i < 10; i++) {
		cprng_fast(a.data(), len);
		for (std::size_t at = 0; at < len; at++)
			written[at] = written[at] || a.data()[at] != b.data()[at];
	}
	INFO(len << " bytes");
	CHECK(a.intact());
	CHECK(b.intact());
	CHECK(std::count(written.begin(), written.end(), false) == 0);
}

template <std::size_t... lengths> void check_exactly_each(std::index_sequence<lengths...>)
{
	(check_exactly<lengths>(), ...);
}

} // namespace

// Catches a byte that an inlined request leaves unwritten, and one that it writes outside the request.
TEST_CASE("contract: exactly the bytes that were asked for, of each size that the compiler knows")
{
	check_exactly_each(std::make_index_sequence<70>());
}

// Every length at every alignment writes all of its bytes and no others.
// Catches an unwritten byte, and a write outside the buffer.
TEST_CASE("contract: exactly the bytes that were asked for")
{
	run::Random random("exactly");
	const std::size_t most = 1100;

	cprng_fast(nullptr, 0);
	for (std::size_t len = 0; len <= most; len++) {
		Guarded a(len, random.below(64)), b(len, random.below(64));
		// A byte that stays the same in ten draws was not written: false alarms 2^-80, at 6 * 10^5 places.
		std::vector<bool> written(len);
		cprng_fast(b.data(), len);
		for (int i = 0; i < 10; i++) {
			cprng_fast(a.data(), len);
			for (std::size_t at = 0; at < len; at++)
				written[at] = written[at] || a.data()[at] != b.data()[at];
		}
		CHECK(a.intact());
		CHECK(b.intact());
		CHECK(std::count(written.begin(), written.end(), false) == 0);
	}
}
