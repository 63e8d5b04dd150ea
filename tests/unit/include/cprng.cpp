// SPDX-License-Identifier: BSD-2-Clause
// <cprng/cprng.hpp>: the thin C++ layer.
#include "doctest/doctest.h"

#include "cprng/cprng.hpp"

#include "../../support/engines.hpp"
#include "../../support/statistics.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// UniformRandomBitGenerator of the standard, [rand.req.urng]
template <class Generator, class Result> constexpr bool returns()
{
	using Drawn = decltype(std::declval<Generator &>()());
	return std::is_same<Drawn, Result>::value && std::is_same<Drawn, typename Generator::result_type>::value;
}

static_assert(returns<cprng::generator, std::uint64_t>(), "a generator of 64 bits");
static_assert(returns<cprng::generator32, std::uint32_t>(), "a generator of 32 bits");
static_assert(cprng::generator::min() == 0, "from 0");
static_assert(cprng::generator::max() == UINT64_MAX, "to 2^64 - 1");
static_assert(cprng::generator32::min() == 0, "from 0");
static_assert(cprng::generator32::max() == UINT32_MAX, "to 2^32 - 1");
static_assert(std::is_empty<cprng::generator>::value, "no state");
static_assert(std::is_empty<cprng::generator32>::value, "no state");
static_assert(noexcept(cprng::generator()()), "cannot fail");
static_assert(noexcept(cprng::generator32()()), "cannot fail");
static_assert(noexcept(cprng::uniform(1u)), "cannot fail");
static_assert(noexcept(cprng::range(1, 2)), "cannot fail");
static_assert(noexcept(cprng::real()), "cannot fail");

namespace {

template <class Container> bool all_zero(const Container &c)
{
	const auto *p = reinterpret_cast<const std::uint8_t *>(std::data(c));
	return std::all_of(p, p + std::size(c) * sizeof(*std::data(c)), [](std::uint8_t b) { return b == 0; });
}

template <class Integer> void check_ends(Integer lo, Integer hi)
{
	bool first = false, last = false;

	for (int i = 0; i < 4000; i++) {
		const Integer x = i % 2 == 0 ? cprng::range(lo, hi) : cprng::range(hi, lo);
		REQUIRE(x >= lo);
		REQUIRE(x <= hi);
		first = first || x == lo;
		last = last || x == hi;
	}
	// One of six values is missed with probability (5/6)^4000, 10^-316.
	CHECK(first);
	CHECK(last);
}

template <class Integer> void check_whole()
{
	constexpr Integer lo = std::numeric_limits<Integer>::min(), hi = std::numeric_limits<Integer>::max();
	std::vector<std::uint64_t> halves(2);

	for (int i = 0; i < run::draws(20000); i++)
		halves[cprng::range(lo, hi) > static_cast<Integer>(lo / 2 + hi / 2) ? 1 : 0]++;
	statistics::check_equal(halves, "range, halves");
	check_ends<Integer>(lo, static_cast<Integer>(lo + 5));
	check_ends<Integer>(static_cast<Integer>(hi - 5), hi);
}

} // namespace

// Catches a generator that is not a UniformRandomBitGenerator.
TEST_CASE("C++: std::shuffle and distributions take the generators")
{
	cprng::generator random;
	std::vector<int> v(1000);

	std::iota(v.begin(), v.end(), 0);
	std::shuffle(v.begin(), v.end(), random);
	CHECK(!std::is_sorted(v.begin(), v.end()));
	std::shuffle(v.begin(), v.end(), cprng::generator32());
	std::sort(v.begin(), v.end());
	for (int i = 0; i < 1000; i++)
		REQUIRE(v[static_cast<std::size_t>(i)] == i);

	std::vector<std::uint64_t> dice(6), dice32(6);
	std::uniform_int_distribution<int> die(1, 6);
	cprng::generator32 random32;
	for (int i = 0; i < run::draws(60000); i++) {
		dice.at(static_cast<std::size_t>(die(random) - 1))++;
		dice32.at(static_cast<std::size_t>(die(random32) - 1))++;
	}
	statistics::check_equal(dice, "uniform_int_distribution");
	statistics::check_equal(dice32, "uniform_int_distribution, 32 bits");
	const double x = std::uniform_real_distribution<>()(random);
	CHECK(x >= 0);
	CHECK(x <= 1);
	CHECK(random() != random());
}

// Catches a container that is not filled completely.
TEST_CASE("C++: fill")
{
	std::array<std::uint8_t, 32> a{}, b{};
	std::vector<std::uint64_t> v(100);
	std::uint32_t plain[16] = {};
	std::string s(40, '\0');
	std::vector<std::uint8_t> none;

	cprng::fill(a);
	cprng::fill(b);
	CHECK(!all_zero(a));
	CHECK(a != b);
	cprng::fill(v);
	CHECK(std::find(v.begin(), v.end(), std::uint64_t{ 0 }) == v.end());
	cprng::fill(plain);
	CHECK(!all_zero(plain));
	CHECK(plain[15] != plain[14]); // odds 2^-32
	cprng::fill(s);
	CHECK(s != std::string(40, '\0'));
	cprng::fill(none);
	CHECK(none.empty());
	cprng::fill(nullptr, 0);

	Guarded part(50, 3);
	cprng::fill(part.data(), 50);
	CHECK(part.intact());
	CHECK(!part.untouched());
}

// Catches an excluded bound that is returned, or a truncated type.
TEST_CASE("C++: uniform and range")
{
	std::vector<std::uint64_t> counts(6);

	for (int i = 0; i < run::draws(60000); i++)
		counts.at(cprng::uniform(std::size_t{ 6 }))++;
	statistics::check_equal(counts, "cprng::uniform");
	CHECK(cprng::uniform(0u) == 0);
	CHECK(cprng::uniform(std::uint8_t{ 1 }) == 0);
	for (int i = 0; i < 1000; i++)
		REQUIRE(cprng::uniform(std::uint8_t{ 200 }) < 200);
	std::uint64_t bits = 0;
	for (int i = 0; i < 256; i++)
		bits |= cprng::uniform(std::uint64_t{ 1 } << 63);
	CHECK(bits == UINT64_MAX >> 1);

	check_ends<int>(-3, 2);
	check_whole<signed char>();
	check_whole<unsigned char>();
	check_whole<short>();
	check_whole<int>();
	check_whole<unsigned int>();
	check_whole<long long>();
	check_whole<unsigned long long>();
	CHECK(cprng::range(INT_MIN, INT_MIN) == INT_MIN);
	CHECK(cprng::uniform(-5) == 0);
	CHECK(cprng::uniform(1) == 0);
	CHECK(cprng::uniform(INT64_MIN) == 0);

	const double x = cprng::real();
	CHECK(x >= 0);
	CHECK(x < 1);
	CHECK(cprng::normal(3, 0) == 3);
	CHECK(cprng::normal() != cprng::normal());
	CHECK(cprng::exponential() > 0);
}

// Catches a common type that cannot hold both ends, for literals of different types.
TEST_CASE("C++: ends of different types")
{
	static_assert(std::is_same<decltype(cprng::uniform(6)), int>::value);
	static_assert(std::is_same<decltype(cprng::range('a', 'z')), char>::value);
	static_assert(std::is_same<decltype(cprng::range(1, 6L)), long>::value);
	static_assert(std::is_same<decltype(cprng::range(-1, 6u)), std::int64_t>::value);
	static_assert(std::is_same<decltype(cprng::range(0, std::uint64_t{ 6 })), std::uint64_t>::value);
	static_assert(std::is_same<decltype(cprng::range(-1LL, 6u)), long long>::value);
	static_assert(std::is_same<decltype(cprng::range(std::int8_t{ 1 }, std::uint16_t{ 6 })), int>::value);
	static_assert(std::is_same<decltype(cprng::range(0, 1.0)), double>::value);
	static_assert(std::is_same<decltype(cprng::range(0.0F, 1.0F)), float>::value);
	std::vector<std::uint64_t> faces(6), long_faces(6), around_zero(7);

	for (int i = 0; i < run::draws(60000); i++) {
		faces.at(static_cast<std::size_t>(cprng::uniform(6)))++;
		long_faces.at(static_cast<std::size_t>(cprng::range(1, 6L) - 1))++;
		around_zero.at(static_cast<std::size_t>(cprng::range(-3, 3u) + 3))++;
	}
	statistics::check_equal(faces, "cprng::uniform(6)");
	statistics::check_equal(long_faces, "cprng::range(1, 6L)");
	statistics::check_equal(around_zero, "cprng::range(-3, 3u)");
	std::uint64_t all = 0;
	for (int i = 0; i < 256; i++)
		all |= cprng::range(0, UINT64_MAX);
	CHECK(all == UINT64_MAX);
}

namespace {

template <class Real> void check_real(Real lo, Real hi)
{
	std::vector<std::uint64_t> tenths(10);
	const Real distance = hi / 10 - lo / 10;

	for (int i = 0; i < run::draws(40000); i++) {
		const Real x = i % 2 == 0 ? cprng::range(lo, hi) : cprng::range(hi, lo);
		REQUIRE(x >= lo);
		REQUIRE(x < hi);
		tenths.at(std::min<std::size_t>(9, static_cast<std::size_t>(x / distance - lo / distance)))++;
	}
	statistics::check_equal(tenths, "range of floating-point numbers");
}

} // namespace

// Catches a returned excluded end, an overflowing distance, and an endless loop.
TEST_CASE("C++: range of floating-point numbers")
{
	using limits = std::numeric_limits<double>;

	check_real(0.0, 1.0);
	check_real(-2.5, 7.5);
	check_real(0.0F, 1.0F);
	check_real(0.0L, 1.0L);
	check_real(-limits::max(), limits::max());
	check_real(-std::numeric_limits<float>::max(), std::numeric_limits<float>::max());
	// Half of the computed values round to the end.
	for (int i = 0; i < 1000; i++)
		REQUIRE(cprng::range(1.0, std::nextafter(1.0, 2.0)) == 1.0);
	CHECK(cprng::range(0.5, 0.5) == 0.5);
	CHECK(std::isnan(cprng::range(0.0, limits::infinity())));
	CHECK(std::isnan(cprng::range(-limits::infinity(), limits::infinity())));
	CHECK(std::isnan(cprng::range(limits::infinity(), limits::infinity())));
	CHECK(std::isnan(cprng::range(limits::quiet_NaN(), 1.0)));
	CHECK(std::isnan(cprng::range(1.0, limits::quiet_NaN())));
	// Each bit of a 53-bit number must occur both set and clear.
	std::uint64_t ones = 0, zeros = 0;
	for (int i = 0; i < 256; i++) {
		const auto bits = static_cast<std::uint64_t>(cprng::range(0.0, 1.0) * 9007199254740992.0);
		ones |= bits;
		zeros |= ~bits;
	}
	CHECK((ones & zeros) == (UINT64_MAX >> 11));
}

// Catches a copy of weights that uses the original's table, and a choice, text or UUID that is not the C function's.
TEST_CASE("C++: single choices")
{
	auto original = std::make_unique<cprng::weighted>(std::vector<std::uint64_t>{ 0, 3, 0, 1 });
	cprng::weighted copy(*original), other{ 1 }, moved(cprng::weighted{ 0, 0, 1 });
	other = *original;
	original.reset();
	bool seen[4] = {};

	for (int i = 0; i < 400; i++) {
		seen[copy()] = true;
		seen[other()] = true;
		REQUIRE(moved() == 2);
		REQUIRE(cprng::bernoulli(1));
		REQUIRE(!cprng::bernoulli(0, 5));
	}
	// One of them is missed with probability (3/4)^800, 10^-100.
	CHECK((!seen[0] && seen[1] && !seen[2] && seen[3]));
	CHECK(copy.size() == 4);
	CHECK_THROWS_AS(cprng::weighted(std::vector<std::uint64_t>()), std::invalid_argument);
	CHECK_THROWS_AS((cprng::weighted{ 0, 0 }), std::invalid_argument);

	CHECK(cprng::text(0, "x").empty());
	const std::string text = cprng::text(300, "ab");
	CHECK(text.size() == 300);
	CHECK(text.find_first_not_of("ab") == std::string::npos);
	CHECK(text.find('a') != std::string::npos);
	CHECK(text.find('b') != std::string::npos);
	CHECK_THROWS_AS(cprng::text(3, ""), std::invalid_argument);
	CHECK_THROWS_AS(cprng::text(3, std::string(257, 'x')), std::invalid_argument);

	const cprng::uuid random = cprng::uuid4(), first = cprng::uuid7(), second = cprng::uuid7();
	CHECK(cprng::uuid_text(random).size() == 36);
	CHECK(cprng::uuid_text(random)[14] == '4');
	CHECK(cprng::uuid_text(first)[14] == '7');
	CHECK(first < second);
}

// Catches an element that is never chosen, chosen twice in a sample or lost in a shuffle, and an empty container that is read.
TEST_CASE("C++: choices of elements")
{
	const std::vector<std::string> names{ "anna", "bert", "carl" };
	const int numbers[] = { 1, 2, 3 };
	std::set<std::string> seen;

	// One of three is missed with probability below 3 (2/3)^300, 10^-52.
	for (const std::string &name : cprng::choices(names, 300))
		seen.insert(name);
	CHECK(seen == std::set<std::string>(names.begin(), names.end()));
	for (int i = 0; i < 300; i++)
		seen.erase(cprng::choice(names));
	CHECK(seen.empty());
	for (int number : cprng::choices(numbers, 300, { 0, 1, 0 }))
		CHECK(number == 2);
	CHECK_THROWS_AS(cprng::choices(numbers, 1, { 1, 1 }), std::invalid_argument);
	CHECK(cprng::choice(std::vector<bool>{ true }));
	CHECK(cprng::choice(std::deque<int>{ 5 }) == 5);
	CHECK_THROWS_AS(cprng::choice(std::vector<int>()), std::invalid_argument);
	CHECK_THROWS_AS(cprng::choices(std::vector<int>(), 1), std::invalid_argument);
	CHECK(cprng::choices(std::vector<int>(), 0).empty());

	std::vector<int> taken = cprng::sample(numbers, 3), order(100);
	std::sort(taken.begin(), taken.end());
	CHECK(taken == std::vector<int>{ 1, 2, 3 });
	CHECK(cprng::sample(names, 2).size() == 2);
	CHECK(cprng::sample(names, 0).empty());
	CHECK(cprng::sample(std::vector<int>(), 0).empty());
	CHECK_THROWS_AS(cprng::sample(names, 4), std::invalid_argument);
	std::iota(order.begin(), order.end(), 0);
	cprng::shuffle(order);
	CHECK(!std::is_sorted(order.begin(), order.end())); // false alarms: 1 / 100!
	std::sort(order.begin(), order.end());
	for (int i = 0; i < 100; i++)
		CHECK(order[static_cast<std::size_t>(i)] == i);
	cprng::shuffle(std::vector<int>());

	for (std::string_view alphabet : { cprng::alphabet::digits, cprng::alphabet::hex, cprng::alphabet::alnum,
					   cprng::alphabet::url, cprng::alphabet::clear }) {
		CHECK(std::set<char>(alphabet.begin(), alphabet.end()).size() == alphabet.size());
		CHECK(cprng::text(50, alphabet).find_first_not_of(alphabet) == std::string::npos);
	}
	CHECK(cprng::alphabet::url.size() == 64);
	CHECK(cprng::alphabet::alnum.size() == 62);
	CHECK(cprng::alphabet::clear.find_first_of("0Oo1lI2Z5S8B") == std::string_view::npos);
}
