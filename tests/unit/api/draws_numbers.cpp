// SPDX-License-Identifier: BSD-2-Clause
// Draws of signed integers, booleans, floats, normals, exponentials, samples and arrays.  Streams share the code;
// unit/stream/stream_numbers.cpp and unit/numbers/arrays.cpp test its details.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/scripted_draws.hpp"
#include "../../support/statistics.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace {

double below_normal(double z)
{
	return std::erfc(-z / std::sqrt(2.0)) / 2;
}

// Checks that the numbers are uniformly distributed in [0, 1).
template <class Draw> void check_places(const char *what, Draw draw)
{
	std::vector<std::uint64_t> places(100);

	for (int i = 0; i < run::draws(200000); i++) {
		const double x = draw();
		REQUIRE(x >= 0);
		REQUIRE(x < 1);
		places.at(static_cast<std::size_t>(x * 100))++;
	}
	statistics::check_equal(places, what);
}

// The same for an array, without writes outside it.
template <class Number, class Fill, class To> void check_array(const char *what, Fill fill, To to)
{
	std::vector<std::uint64_t> places(100);

	for (int i = 0; i < 40; i++) {
		std::vector<Number> v(5003, Number{ 42 });
		REQUIRE(fill(v.data() + 1, v.size() - 2) == 0);
		CHECK(v.front() == 42);
		CHECK(v.back() == 42);
		for (std::size_t j = 1; j + 1 < v.size(); j++)
			places.at(static_cast<std::size_t>(to(v[j]) * 100))++;
	}
	statistics::check_equal(places, what);
	Number one{};
	REQUIRE(fill(&one, 0) == 0);
	CHECK(one == Number{});
	CHECK(fill(nullptr, 0) == 0);
	CHECK(fill(nullptr, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(fill(&one, SIZE_MAX / sizeof(Number) + 1) == CPRNG_ERR_ARGUMENT);
	CHECK(one == Number{});
}

} // namespace

// Catches a probability that is rounded, a comparison that goes on too early or too late, and a ratio of another number.
TEST_CASE("draws: a trial compares a uniform number with all digits of the probability")
{
	const struct {
		double p;
		std::vector<std::uint64_t> digits; // 32 in each, and the 0 behind them
	} cases[] = {
		{ 0.5, { 0x80000000, 0 } },
		{ 0x1.8p-32, { 1, 0x80000000, 0 } },
		{ 0x1.fffffffffffffp-1, { 0xffffffff, 0xfffff800, 0 } },
		{ 0x1p-97, { 0, 0, 0, 0x80000000, 0 } },
	};

	for (const auto &c : cases) {
		std::vector<std::uint64_t> words;
		INFO(c.p);
		for (const std::uint64_t digits : c.digits) {
			for (const std::uint64_t word : { digits - 1, digits + 1 }) {
				if (word > UINT32_MAX)
					continue;
				std::vector<std::uint64_t> script = words;
				script.push_back(word);
				scripted::set(script);
				CHECK(scripted_bernoulli(c.p) == static_cast<int>(word < digits));
				CHECK(scripted::used() == script.size());
			}
			words.push_back(digits);
		}
	}
	scripted::set({});
	CHECK(scripted_bernoulli(0) == 0);
	CHECK(scripted_bernoulli(1) == 1);
	CHECK(scripted::used() == 0);
	// 2^32 - 1 is the last denominator that takes 4 bytes.
	scripted::set({ 1, 2, 0, UINT64_C(1) << 32 });
	CHECK(scripted_bernoulli_ratio(1, UINT32_MAX) == 1);
	CHECK(scripted_bernoulli_ratio(1, UINT32_MAX) == 0);
	CHECK(scripted_bernoulli_ratio(1, UINT64_C(1) << 32) == 1);
	CHECK(scripted_bernoulli_ratio(1, UINT64_C(1) << 32) == 0);
	scripted::set({ 0x55555555, 0x55555556, UINT64_MAX / 2, UINT64_MAX / 2 + 1 });
	CHECK(scripted_bernoulli_ratio(1, 3) == 1);
	CHECK(scripted_bernoulli_ratio(1, 3) == 0);
	CHECK(scripted_bernoulli_ratio(UINT64_C(1) << 62, UINT64_C(1) << 63) == 1);
	CHECK(scripted_bernoulli_ratio(UINT64_C(1) << 62, UINT64_C(1) << 63) == 0);
	CHECK(scripted::used() == 4);
}

// Catches an end of the range that is never drawn, and a lost sign.
TEST_CASE("draw numbers: what a draw gives as a signed integer, a boolean and a float")
{
	scripted::set({ 1, UINT32_MAX, 0x80000000 });
	CHECK(scripted_int_range(-3, 3) == -3);
	CHECK(scripted_int_range(-3, 3) == 3);
	CHECK(scripted_int_range(3, -3) == 0);
	scripted::set({ 0, UINT64_MAX, 5 });
	CHECK(scripted_int_range(INT64_MIN, INT64_MAX) == INT64_MIN);
	CHECK(scripted_int_range(INT64_MIN, INT64_MAX) == INT64_MAX);
	CHECK(scripted_int_range(INT64_MAX, INT64_MAX) == INT64_MAX);
	scripted::set({ 0xfe, 0xff, 0, UINT32_MAX, 0x1ff, 0xff });
	CHECK(scripted_bool() == 0);
	CHECK(scripted_bool() == 1);
	CHECK(scripted_float() == 0);
	CHECK(scripted_float() == 1 - 0x1p-24f);
	CHECK(scripted_float() == 0x1p-24f);
	CHECK(scripted_float() == 0);
	CHECK(scripted::used() == 6);

	std::vector<std::uint64_t> sides(2), values(7);
	for (int i = 0; i < run::draws(70000); i++) {
		sides.at(static_cast<std::size_t>(cprng_bool()))++;
		values.at(static_cast<std::size_t>(cprng_int_range(-3, 3) + 3))++;
	}
	statistics::check_equal(sides, "bool");
	statistics::check_equal(values, "int_range");
	check_places("float", [] { return static_cast<double>(cprng_float()); });
}

// Catches a wrong distribution.
TEST_CASE("draw numbers: normals and exponentials")
{
	check_places("normal", [] { return below_normal((cprng_normal(-7, 0.5) + 7) / 0.5); });
	check_places("exponential", [] { return -std::expm1(-cprng_exponential(3) / 3); });
	CHECK(cprng_normal(5, 0) == 5);
	CHECK(cprng_exponential(0) == 0);
	const double huge = std::numeric_limits<double>::infinity(), nan = std::nan("");
	for (double bad : { -1.0, nan, huge, -huge }) {
		double x = 42;
		CHECK(std::isnan(cprng_normal(0, bad)));
		CHECK(std::isnan(cprng_exponential(bad)));
		CHECK(cprng_fill_normal(&x, 1, 0, bad) == CPRNG_ERR_ARGUMENT);
		CHECK(cprng_fill_exponential(&x, 1, bad) == CPRNG_ERR_ARGUMENT);
		CHECK(x == 42);
	}
	CHECK(std::isnan(cprng_normal(nan, 1)));
	CHECK(std::isnan(cprng_normal(huge, 1)));
}

// Catches an array that is filled incompletely or overrun.
TEST_CASE("draw numbers: arrays")
{
	check_array<std::uint32_t>("fill_u32", cprng_fill_u32, [](std::uint32_t x) { return x * 0x1p-32; });
	check_array<std::uint64_t>("fill_u64", cprng_fill_u64,
				   [](std::uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; });
	check_array<std::uint32_t>(
		"fill_uniform32",
		[](std::uint32_t *p, std::size_t n) { return cprng_fill_uniform32(p, n, 0xc0000000); },
		[](std::uint32_t x) { return x / (0.75 * 0x1p32); });
	check_array<std::uint64_t>(
		"fill_uniform64", [](std::uint64_t *p, std::size_t n) { return cprng_fill_uniform64(p, n, 1000); },
		[](std::uint64_t x) { return (static_cast<double>(x) + 0.5) / 1000; });
	check_array<std::uint64_t>(
		"fill_range64", [](std::uint64_t *p, std::size_t n) { return cprng_fill_range64(p, n, UINT64_MAX, 1); },
		[](std::uint64_t x) { return static_cast<double>((x - 1) >> 11) * 0x1p-53; });
	check_array<std::int64_t>(
		"fill_int_range", [](std::int64_t *p, std::size_t n) { return cprng_fill_int_range(p, n, -50, 49); },
		[](std::int64_t x) { return (static_cast<double>(x) + 50.5) / 100; });
	check_array<float>("fill_float", cprng_fill_float, [](float x) { return x; });
	check_array<double>("fill_double", cprng_fill_double, [](double x) { return x; });
	check_array<double>(
		"fill_normal", [](double *p, std::size_t n) { return cprng_fill_normal(p, n, 1, 2); },
		[](double x) { return below_normal((x - 1) / 2); });
	check_array<double>(
		"fill_exponential", [](double *p, std::size_t n) { return cprng_fill_exponential(p, n, 2); },
		[](double x) { return -std::expm1(-x / 2); });
}

// Catches samples whose sets or orders are not equally likely.
TEST_CASE("draw numbers: samples, each set in each order as likely")
{
	struct {
		std::size_t k;
		std::uint64_t n;
	} const cases[] = { { 3, 4 }, { 3, 6 }, { 2, 17 } }; // by a shuffle of all, and by a table
	for (const auto [k, n] : cases) {
		std::map<std::vector<std::uint64_t>, std::uint64_t> seen;
		for (int i = 0; i < run::draws(60000); i++) {
			std::vector<std::uint64_t> v(k);
			REQUIRE(cprng_sample(v.data(), k, n) == 0);
			REQUIRE(std::set<std::uint64_t>(v.begin(), v.end()).size() == k);
			REQUIRE(*std::max_element(v.begin(), v.end()) < n);
			seen[v]++;
		}
		std::vector<std::uint64_t> counts;
		for (const auto &entry : seen)
			counts.push_back(entry.second);
		CHECK(counts.size() == n * (n - 1) * (k == 3 ? n - 2 : 1));
		statistics::check_equal(counts, "sample of " + std::to_string(k) + " of " + std::to_string(n));
	}
	std::uint64_t out[2] = { 7, 8 };
	CHECK(cprng_sample(out, 2, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_sample(nullptr, 1, 9) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_sample(nullptr, 0, 9) == 0);
	CHECK(out[0] == 7);
}
