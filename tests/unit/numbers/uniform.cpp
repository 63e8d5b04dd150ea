// SPDX-License-Identifier: BSD-2-Clause
// Bounded integers and reals: exact results for chosen draws, and distributions with real draws.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/scripted_draws.hpp"
#include "../../support/statistics.hpp"

#include <cmath>

namespace {

constexpr std::uint64_t two32 = std::uint64_t{ 1 } << 32, two63 = std::uint64_t{ 1 } << 63;

// uniform32's response to a draw: a rejection or a result.
bool accepted(std::uint32_t bound, std::uint64_t draw, std::uint32_t *result)
{
	scripted::set({ draw, 0xffffffff }); // every bound accepts the second
	*result = scripted_uniform32(bound);
	return scripted::used() == 1;
}

// The first draw that gives `result` or more, ignoring rejection.
std::uint64_t first_draw(std::uint32_t bound, std::uint64_t result)
{
	return (result * two32 + bound - 1) / bound;
}

// Exactly floor(2^32 / bound) of the 2^32 draws must give each result.
void check_result(std::uint32_t bound, std::uint32_t want)
{
	const std::uint64_t from = first_draw(bound, want), to = first_draw(bound, std::uint64_t{ want } + 1);
	std::uint64_t count = 0;
	bool good = true;

	for (std::uint64_t draw = from; draw < to; draw++) {
		std::uint32_t result;
		if (accepted(bound, draw, &result)) {
			count++;
			good = good && result == want;
		}
	}
	INFO("bound " << bound << ", result " << want);
	CHECK(good);
	CHECK(count == two32 / bound);
}

// The product of two 64-bit numbers, bit by bit.
struct Product {
	std::uint64_t high, low;
};

Product multiply(std::uint64_t a, std::uint64_t b)
{
	Product p = { 0, 0 };

	for (int bit = 63; bit >= 0; bit--) {
		p.high = p.high << 1 | p.low >> 63;
		p.low <<= 1;
		if ((b >> bit & 1) != 0) {
			p.low += a;
			p.high += p.low < a ? 1 : 0;
		}
	}
	return p;
}

// The method's rule for one 64-bit draw.  Its theorem says that all results are equally likely; the 32-bit tests here
// confirm it.
void check_rule64(std::uint64_t bound, std::uint64_t draw)
{
	const Product p = multiply(draw, bound);
	const std::uint64_t refused = (UINT64_MAX % bound + 1) % bound; // 2^64 mod bound

	scripted::set({ draw, UINT64_MAX });
	const std::uint64_t result = scripted_uniform64(bound);
	INFO("bound " << bound << ", draw " << draw);
	if (p.low < refused) {
		CHECK(scripted::used() == 2);
		CHECK(result == bound - 1);
	} else {
		CHECK(scripted::used() == 1);
		CHECK(result == p.high);
	}
}

template <class Draw> void check_small_bounds(const char *what, Draw draw)
{
	for (const unsigned int bound : { 2, 3, 4, 5, 6, 7, 10, 16, 17, 52, 100 }) {
		std::vector<std::uint64_t> counts(bound);
		for (int i = 0; i < run::draws(run::volume(50000, 200000)); i++)
			counts.at(static_cast<std::size_t>(draw(bound)))++;
		statistics::check_equal(counts, std::string(what) + ", bound " + std::to_string(bound));
	}
}

// Three quarters of the range: with a modulus the first third of the results would be twice as likely; scaling without
// rejection would double every third result.
template <class Draw> void check_large_bound(const char *what, std::uint64_t quarter, Draw draw)
{
	std::vector<std::uint64_t> thirds(3), remainders(3), low(64), high(3 * 32);

	for (int i = 0; i < run::draws(run::volume(100000, 400000)); i++) {
		const std::uint64_t x = draw(3 * quarter);
		thirds.at(x / quarter)++;
		remainders[x % 3]++;
		low[x % 64]++;
		high.at(x / (quarter / 32))++;
	}
	statistics::check_equal(thirds, std::string(what) + ", thirds");
	statistics::check_equal(remainders, std::string(what) + ", remainders");
	statistics::check_equal(low, std::string(what) + ", low bits");
	statistics::check_equal(high, std::string(what) + ", high bits");
}

} // namespace

// Catches a bias at bounds that rarely reject a draw.
TEST_CASE("uniform32: each result comes of the same number of draws")
{
	run::Random random("uniform32");

	for (const std::uint32_t bound : { 0xffffffffu, 0xfffffffeu, 0x80000001u, 0x80000000u, 0x7fffffffu, 0xc0000000u,
					   0xaaaaaaabu, 0x55555556u, 0x40000001u, 0x10000001u, 1000000007u }) {
		for (int i = 0; i < 2000; i++)
			check_result(bound, static_cast<std::uint32_t>(random.below(bound)));
		check_result(bound, 0);
		check_result(bound, 1);
		check_result(bound, bound - 1);
	}
	for (int i = 0; i < 2000; i++) {
		const auto bound = static_cast<std::uint32_t>((1 << 20) + random.below(two32 - (1 << 20)));
		check_result(bound, static_cast<std::uint32_t>(random.below(bound)));
	}
	// With small bounds, each result has too many draws to try them all: try those at both ends.
	for (std::uint32_t bound = 1; bound < 300; bound++) {
		for (std::uint32_t want = 0; want < bound; want++) {
			const std::uint64_t from = first_draw(bound, want),
					    to = first_draw(bound, std::uint64_t{ want } + 1);
			std::uint64_t refused = 0;
			bool good = true;
			for (std::uint64_t i = 0; i < 4; i++) {
				std::uint32_t result;
				for (std::uint64_t draw : { from + i, to - 1 - i }) {
					if (accepted(bound, draw, &result))
						good = good && result == want;
					else
						refused++;
				}
			}
			INFO("bound " << bound << ", result " << want);
			CHECK(good);
			CHECK(to - from - refused == two32 / bound);
		}
	}
}

// Catches a rejection after which no further draw is made.
TEST_CASE("uniform32: refuses as often as needed")
{
	// 2^32 mod 0x80000001 is 0x7fffffff: draws whose product has a smaller low half, such as 0, are rejected.
	scripted::set({ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xffffffff });
	CHECK(scripted_uniform32(0x80000001) == 0x80000000);
	CHECK(scripted::used() == 10);
	for (std::uint32_t bound : { 0u, 1u }) {
		scripted::set({ 0xffffffff });
		CHECK(scripted_uniform32(bound) == 0);
		CHECK(scripted::used() <= 1);
	}
	for (int bit = 1; bit < 32; bit++) { // powers of two reject no draw
		scripted::set({ 0 });
		CHECK(scripted_uniform32(1u << bit) == 0);
		CHECK(scripted::used() == 1);
	}
}

// Catches a truncated product, and a different rule for small bounds.
TEST_CASE("uniform64: the same rule in 64 bits, and uniform32's below 2^32")
{
	run::Random random("uniform64");
	std::vector<std::uint64_t> bounds = { two32,     two32 + 1,       two63 - 1,      two63,
					      two63 + 1, 3 * (two63 / 2), UINT64_MAX - 1, UINT64_MAX };

	for (int i = 0; i < 2000; i++)
		bounds.push_back((random.word() >> random.below(31)) | two32);
	for (const std::uint64_t bound : bounds) {
		for (const std::uint64_t draw :
		     { std::uint64_t{ 0 }, std::uint64_t{ 1 }, UINT64_MAX, UINT64_MAX - 1, two63 })
			check_rule64(bound, draw);
		for (int i = 0; i < 20; i++) {
			// random draws, and those near steps of the product's high half, some of which are rejected
			check_rule64(bound, random.word());
			const auto step = static_cast<std::uint64_t>(static_cast<long double>(random.below(bound)) *
								     0x1p64L / static_cast<long double>(bound));
			for (std::uint64_t draw = step - 2; draw != step + 3; draw++)
				check_rule64(bound, draw);
		}
		// the last rejected draws and the first accepted ones: an odd bound has an inverse modulo 2^64
		const std::uint64_t odd = bound | 1, refused = (UINT64_MAX % odd + 1) % odd;
		std::uint64_t inverse = odd; // correct to 3 bits; each step doubles that
		for (int i = 0; i < 5; i++)
			inverse *= 2 - odd * inverse;
		for (std::uint64_t low = refused - 2; low != refused + 2; low++)
			check_rule64(odd, low * inverse);
	}
	for (int i = 0; i < 20000; i++) {
		const auto bound = static_cast<std::uint32_t>(random.word() >> (32 + random.below(32)));
		const std::uint64_t draw = random.word() & UINT32_MAX;
		std::uint32_t result;
		const bool once = accepted(bound, draw, &result);
		scripted::set({ draw, 0xffffffff });
		CHECK(scripted_uniform64(bound) == result);
		CHECK((scripted::used() == 1) == once);
	}
}

// Catches an overflowing range, or an end that is never returned.
TEST_CASE("range64: what a draw gives")
{
	// For the whole range the result is the draw; otherwise it is an offset from the lower end.
	for (const std::uint64_t draw : { std::uint64_t{ 0 }, std::uint64_t{ 0x123456789abcdef0 }, UINT64_MAX }) {
		scripted::set({ draw, draw });
		CHECK(scripted_range64(0, UINT64_MAX) == draw);
		CHECK(scripted_range64(UINT64_MAX, 0) == draw);
		CHECK(scripted::used() == 2);
	}
	scripted::set({ UINT64_MAX, UINT64_MAX, 0xffffffff, 0xffffffff });
	CHECK(scripted_range64(1, UINT64_MAX) == UINT64_MAX);
	CHECK(scripted_range64(0, UINT64_MAX - 1) == UINT64_MAX - 1);
	CHECK(scripted_range64(10, 15) == 15);
	CHECK(scripted_range64(15, 10) == 15);
	scripted::set({ 1, 1, 0x80000000 });
	CHECK(scripted_range64(7, two63 + 7 - 1) == 7);
	CHECK(scripted_range64(UINT64_MAX - 8, UINT64_MAX - 1) == UINT64_MAX - 8);
	CHECK(scripted_range64(UINT64_MAX - 8, UINT64_MAX - 1) == UINT64_MAX - 4);
	CHECK(scripted::used() == 3);
}

// Catches a result that is too frequent with the real generator.
TEST_CASE("uniform32: distribution")
{
	check_small_bounds("uniform32", [](unsigned int bound) { return cprng_uniform32(bound); });
	check_large_bound("uniform32", two32 / 4,
			  [](std::uint64_t bound) { return cprng_uniform32(static_cast<std::uint32_t>(bound)); });
	CHECK(cprng_uniform32(0) == 0);
	CHECK(cprng_uniform32(1) == 0);
	for (std::uint32_t bound : { 0x80000001u, 0xffffffffu, 0x80000000u }) {
		std::vector<std::uint64_t> halves(2);
		for (int i = 0; i < run::draws(run::volume(25000, 100000)); i++) {
			const std::uint32_t x = cprng_uniform32(bound);
			REQUIRE(x < bound);
			halves[x >= bound / 2]++;
		}
		statistics::check_equal(halves, "uniform32, halves");
	}
	// The library's function, which programs use when they take its address.
	std::uint32_t (*volatile function)(std::uint32_t) = cprng_uniform32;
	check_small_bounds("uniform32 in the library", [&](unsigned int bound) { return function(bound); });
	check_large_bound("uniform32 in the library", two32 / 4,
			  [&](std::uint64_t bound) { return function(static_cast<std::uint32_t>(bound)); });
}

// Catches a result that is too frequent with the real generator.
TEST_CASE("uniform64: distribution")
{
	check_small_bounds("uniform64", [](unsigned int bound) { return cprng_uniform64(bound); });
	check_large_bound("uniform64", two63 / 2, [](std::uint64_t bound) { return cprng_uniform64(bound); });
	check_large_bound("uniform64, 32 bits", two32 / 4, [](std::uint64_t bound) { return cprng_uniform64(bound); });
	check_large_bound("uniform64, 34 bits", two32, [](std::uint64_t bound) { return cprng_uniform64(bound); });
	CHECK(cprng_uniform64(0) == 0);
	CHECK(cprng_uniform64(1) == 0);
	for (std::uint64_t bound :
	     { std::uint64_t{ 0x80000001 }, two32 - 1, two32, two32 + 1, two63, two63 + 1, UINT64_MAX }) {
		std::vector<std::uint64_t> halves(2);
		for (int i = 0; i < run::draws(run::volume(25000, 100000)); i++) {
			const std::uint64_t x = cprng_uniform64(bound);
			REQUIRE(x < bound);
			halves[x >= bound / 2]++;
		}
		statistics::check_equal(halves, "uniform64, halves");
	}
}

// Catches an end that is never drawn.
TEST_CASE("range64: both ends included, in either order, the whole range")
{
	for (std::uint64_t x : { std::uint64_t{ 0 }, std::uint64_t{ 77 }, two32, UINT64_MAX })
		CHECK(cprng_range64(x, x) == x);

	const std::uint64_t bases[] = { 0, 1000, two32 - 3, two63 - 2, UINT64_MAX - 5 };
	for (std::uint64_t base : bases) {
		for (bool turned : { false, true }) {
			std::vector<std::uint64_t> counts(6);
			for (int i = 0; i < run::draws(run::volume(15000, 60000)); i++) {
				const std::uint64_t x = turned ? cprng_range64(base + 5, base) :
								 cprng_range64(base, base + 5);
				counts.at(x - base)++;
			}
			statistics::check_equal(counts, "range64 of 6");
		}
	}

	for (bool turned : { false, true }) {
		std::vector<std::uint64_t> high(64), low(64);
		for (int i = 0; i < run::draws(run::volume(50000, 200000)); i++) {
			const std::uint64_t x = turned ? cprng_range64(UINT64_MAX, 0) : cprng_range64(0, UINT64_MAX);
			high[x >> 58]++;
			low[x & 63]++;
		}
		statistics::check_equal(high, "range64, all, high bits");
		statistics::check_equal(low, "range64, all, low bits");
	}

	// Not the whole range: the upper three quarters, and all values except one.
	check_large_bound("range64", two63 / 2, [](std::uint64_t bound) {
		return cprng_range64(two63 / 2, two63 / 2 + bound - 1) - two63 / 2;
	});
	for (int i = 0; i < 1000; i++) {
		REQUIRE(cprng_range64(1, UINT64_MAX) >= 1);
		REQUIRE(cprng_range64(0, UINT64_MAX - 1) <= UINT64_MAX - 1);
	}
}

// Catches different rounding, a result of 1.0, and wrong low bits.
TEST_CASE("double: the 53 high bits of a draw, as a fraction")
{
	const struct {
		std::uint64_t draw;
		double want;
	} cases[] = {
		{ 0, 0 },
		{ 0x7ff, 0 },
		{ 0x800, 0x1p-53 },
		{ two63, 0.5 },
		{ two63 - 1, 0.5 - 0x1p-53 },
		{ UINT64_MAX, 1 - 0x1p-53 },
		{ 0x0123456789abcdef, 0x2468acf13579p-53 },
	};

	for (const auto &c : cases) {
		scripted::set({ c.draw });
		CHECK(scripted_double() == c.want);
		CHECK(scripted::used() == 1);
	}
}

// Catches a part of [0, 1) that is too frequent.
TEST_CASE("double: distribution")
{
	const int n = run::draws(run::volume(250000, 1000000));
	double sum = 0, squares = 0;
	std::vector<std::uint64_t> places(100), last_bits(16);

	for (int i = 0; i < n; i++) {
		const double x = cprng_double(), scaled = x * 0x1p53;
		REQUIRE(x >= 0);
		REQUIRE(x < 1);
		REQUIRE(scaled == std::floor(scaled));
		places.at(static_cast<std::size_t>(x * 100))++;
		last_bits[static_cast<std::uint64_t>(scaled) % 16]++;
		sum += x - 0.5;
		squares += (x - 0.5) * (x - 0.5);
	}
	// The variance of a uniform number is 1/12, that of its squared distance from the mean 1/180.
	statistics::check_mean(sum / n, 0, std::sqrt(1.0 / 12), n, "double, mean");
	statistics::check_mean(squares / n, 1.0 / 12, std::sqrt(1.0 / 180), n, "double, variance");
	statistics::check_equal(places, "double, hundredths");
	statistics::check_equal(last_bits, "double, last bits");
	double (*volatile function)() = cprng_double;
	double total = 0;
	for (int i = 0; i < 100000; i++) {
		const double x = function();
		REQUIRE((x >= 0 && x < 1));
		total += x;
	}
	statistics::check_mean(total / 100000, 0.5, std::sqrt(1.0 / 12), 100000, "double in the library, mean");
}

// Catches a stuck bit in inlined draws or in the library's functions.
TEST_CASE("fast8 to fast64: every bit is as often set as not, and the library's functions are the inlined ones' peers")
{
	const int n = run::draws(run::volume(75000, 300000));

	auto check_bits = [&](const char *what, unsigned int width, auto draw) {
		std::vector<std::uint64_t> set(width), bytes(256);
		for (int i = 0; i < n; i++) {
			const std::uint64_t x = draw();
			REQUIRE((width == 64 || x >> width == 0));
			for (unsigned int bit = 0; bit < width; bit++)
				set[bit] += x >> bit & 1;
			bytes[x & 255]++;
		}
		for (unsigned int bit = 0; bit < width; bit++) {
			const double p = static_cast<double>(set[bit]) / n;
			statistics::check_mean(p, 0.5, 0.5, n, std::string(what) + ", bit " + std::to_string(bit));
		}
		statistics::check_equal(bytes, what);
	};
	check_bits("fast8", 8, [] { return cprng_fast8(); });
	check_bits("fast16", 16, [] { return cprng_fast16(); });
	check_bits("fast32", 32, [] { return cprng_fast32(); });
	check_bits("fast64", 64, [] { return cprng_fast64(); });
	std::uint8_t (*volatile f8)() = cprng_fast8;
	std::uint16_t (*volatile f16)() = cprng_fast16;
	std::uint32_t (*volatile f32)() = cprng_fast32;
	std::uint64_t (*volatile f64)() = cprng_fast64;
	check_bits("fast8 in the library", 8, [&] { return f8(); });
	check_bits("fast16 in the library", 16, [&] { return f16(); });
	check_bits("fast32 in the library", 32, [&] { return f32(); });
	check_bits("fast64 in the library", 64, [&] { return f64(); });
}
