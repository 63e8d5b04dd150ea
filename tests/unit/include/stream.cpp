// SPDX-License-Identifier: BSD-2-Clause
// cprng::stream: the standard's requirements for a random number engine, [rand.req.eng], and its own functions.
#include "doctest/doctest.h"

#include "cprng/cprng.hpp"

#include "../../support/engines.hpp"
#include "../../support/statistics.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <sstream>
#include <type_traits>

static_assert(std::is_same<decltype(std::declval<cprng::stream &>()()), std::uint64_t>::value, "of 64 bits");
static_assert(cprng::stream::min() == 0, "from 0");
static_assert(cprng::stream::max() == UINT64_MAX, "to 2^64 - 1");
static_assert(std::is_default_constructible<cprng::stream>::value, "E()");
static_assert(std::is_copy_constructible<cprng::stream>::value, "E(x)");
static_assert(std::is_copy_assignable<cprng::stream>::value, "x = y");
static_assert(std::is_nothrow_move_constructible<cprng::stream>::value, "fit for a vector that grows");
static_assert(std::is_nothrow_move_assignable<cprng::stream>::value, "and for swap");
static_assert(std::is_constructible<cprng::stream, std::uint64_t>::value, "E(s)");
static_assert(std::is_constructible<cprng::stream, std::seed_seq &>::value, "E(q)");
static_assert(!std::is_convertible<std::uint64_t, cprng::stream>::value, "a number is not a stream");
static_assert(!std::is_constructible<cprng::stream, std::string>::value, "nor is a string: from_string()");

namespace {

const std::array<std::uint8_t, 32> key = { 1, 2, 3 };

} // namespace

// Catches a wrapper function whose result differs from the C function's.
TEST_CASE("C++ stream: keys, bytes and offsets")
{
	const std::vector<std::uint8_t> nonce(12, 7);
	const cprng_engine *engine = cprng_engine_find("chacha20");
	const Bytes want =
		keystream(engine, portable_backend(engine), { { key.begin(), key.end() }, nonce, 0 }, 0, 300);

	cprng::stream s("chacha20", key, nonce);
	Bytes got(100);
	s.read(got);
	same(got.data(), want.data(), 100, "read");
	CHECK(s.tell() == 100);
	s.seek(200);
	s.read(got.data(), 50);
	same(got.data(), want.data() + 200, 50, "read after seek");
	CHECK_THROWS_AS(s.seek((std::uint64_t{ 1 } << 38) + 1), std::out_of_range);
	CHECK(s.tell() == 250);
	s.advance(-250);
	s.read(got);
	same(got.data(), want.data(), 100, "read after a step back");
	CHECK_THROWS_AS(s.advance(-101), std::out_of_range);
	s.seek((std::uint64_t{ 1 } << 38) - 1);
	CHECK_THROWS_WITH_AS(s.read(got), cprng_strerror(CPRNG_ERR_RANGE), std::out_of_range);
	CHECK(s.tell() == (std::uint64_t{ 1 } << 38) - 1);

	cprng::stream by_size("chacha20", key.data(), key.size(), nonce.data(), nonce.size());
	by_size.read(got);
	same(got.data(), want.data(), 100, "by size");
	cprng::stream no_nonce("chacha20", key), zero_nonce("chacha20", key, std::array<std::uint8_t, 8>{});
	CHECK(no_nonce == zero_nonce);

	CHECK_THROWS_WITH_AS(cprng::stream("chacha21", key), cprng_strerror(CPRNG_ERR_ENGINE), std::invalid_argument);
	CHECK_THROWS_WITH_AS(cprng::stream("chacha20", nonce), cprng_strerror(CPRNG_ERR_KEY_SIZE),
			     std::invalid_argument);
	CHECK_THROWS_WITH_AS(cprng::stream("aes256-ctr", key, nonce), cprng_strerror(CPRNG_ERR_NONCE_SIZE),
			     std::invalid_argument);
	CHECK_THROWS_WITH_AS(cprng::stream("chacha20", nullptr, 32), cprng_strerror(CPRNG_ERR_ARGUMENT),
			     std::invalid_argument);
	CHECK_THROWS_AS(cprng::stream(1, "chacha21"), std::invalid_argument);
	CHECK_THROWS_AS(cprng::stream::from_string(""), std::invalid_argument);
	CHECK_THROWS_AS(cprng::stream::from_string(std::string("a\0b", 3)), std::invalid_argument);
	CHECK_THROWS_AS(cprng::stream::from_bytes(std::array<char, 15>{}), std::invalid_argument);
}

// Catches a seed that is treated differently than in C.
TEST_CASE("C++ stream: seeds and children are those of C")
{
	cprng_stream c;
	auto check_same = [&c](cprng::stream s) {
		for (int i = 0; i < 300; i++)
			REQUIRE(s() == cprng_stream_u64(&c));
	};

	REQUIRE(cprng_stream_seed_integer(&c, nullptr, 0) == 0);
	check_same(cprng::stream());
	REQUIRE(cprng_stream_seed_integer(&c, nullptr, 77) == 0);
	check_same(cprng::stream(77));
	REQUIRE(cprng_stream_seed_integer(&c, "aes256-ctr", 77) == 0);
	check_same(cprng::stream(77, "aes256-ctr"));
	REQUIRE(cprng_stream_seed_string(&c, nullptr, "a seed") == 0);
	check_same(cprng::stream::from_string("a seed"));
	REQUIRE(cprng_stream_seed_bytes(&c, nullptr, key.data(), key.size()) == 0);
	check_same(cprng::stream::from_bytes(key));
	REQUIRE(cprng_stream_seed_integer(&c, nullptr, 5) == 0);
	REQUIRE(cprng_stream_child(&c, 9, &c) == 0);
	check_same(cprng::stream(5).child(9));

	std::seed_seq sequence{ 1, 2, 3 };
	std::array<std::uint32_t, 8> words;
	sequence.generate(words.begin(), words.end());
	Bytes little;
	for (std::uint32_t word : words) {
		for (int byte = 0; byte < 4; byte++)
			little.push_back(static_cast<std::uint8_t>(word >> 8 * byte));
	}
	REQUIRE(cprng_stream_seed_bytes(&c, nullptr, little.data(), little.size()) == 0);
	check_same(cprng::stream(sequence));
}

// Catches behaviour that the standard forbids for an engine.
TEST_CASE("C++ stream: the requirements of an engine")
{
	cprng::stream x(3), y(x);
	const cprng::stream v(x);
	std::seed_seq q{ 4, 5 };

	CHECK(x == y);
	CHECK(x() == y());
	CHECK(x != v);
	x = v;
	CHECK(x == v);
	x.seed();
	CHECK(x == cprng::stream());
	x.seed(17);
	CHECK(x == cprng::stream(17));
	x.seed(q);
	CHECK(x == cprng::stream(q));
	CHECK(cprng::stream(1) != cprng::stream(2));

	// discard
	for (unsigned long long z : { 0ULL, 1ULL, 127ULL, 128ULL, 129ULL, 100000ULL }) {
		cprng::stream a(6), b(6);
		a();
		b();
		a.discard(z);
		for (unsigned long long i = 0; i < z; i++)
			b();
		CHECK(a == b);
		CHECK(a() == b());
	}
	cprng::stream far(6);
	far.discard(UINT64_MAX / 8);
	CHECK(far.tell() == UINT64_MAX / 8 * 8);
	const cprng::stream before = far;
	CHECK_THROWS_AS(far.discard(1), std::out_of_range);
	CHECK_THROWS_AS(far.discard(UINT64_MAX), std::out_of_range);
	CHECK(far == before);

	// copies are independent, also moved ones and those in a growing vector
	std::vector<cprng::stream> many;
	for (std::uint64_t i = 0; i < 50; i++)
		many.push_back(v.child(i));
	for (std::uint64_t i = 0; i < 50; i++)
		CHECK(many[i] == v.child(i));
	std::swap(many[0], many[49]);
	CHECK(many[0] == v.child(49));
	cprng::stream moved(std::move(many[1]));
	CHECK(moved == v.child(1));
}

// Catches a state that is written or read incompletely, and format flags that influence it or that it changes.
TEST_CASE("C++ stream: << and >>")
{
	for (const cprng_engine *engine : all_engines()) {
		cprng::stream s(11, engine->name), t;
		for (int i = 0; i < 77; i++)
			s.real();
		s.read(Bytes(3));
		std::stringstream text;
		text << std::hex << std::uppercase << std::showbase;
		text.fill('#');
		text.width(400);
		text << s << ' ' << 255;
		CHECK(text.str().size() == 256 + 5);
		text >> std::noskipws;
		t.seed(12);
		text >> t;
		CHECK(t == s);
		CHECK(t() == s());
		CHECK((text.flags() & std::ios_base::skipws) == 0);
		int number = 0;
		text >> std::skipws >> number;
		CHECK(number == 255);
	}
	std::wstringstream wide;
	cprng::stream s(13), t;
	std::stringstream blank;
	blank << ' ' << s;
	blank >> std::noskipws >> t;
	CHECK(t == s);
	t.seed(1);
	wide << s;
	wide >> t;
	CHECK(t == s);

	for (const std::string &bad :
	     { std::string(), std::string("12"), std::string(256, '0'), std::string(256, 'x') }) {
		std::istringstream in(bad);
		in >> t;
		CHECK(in.fail());
		CHECK(t == s);
	}
	auto saved = s.save();
	t.seed(1);
	t.restore(saved);
	CHECK(t == s);
	saved[40] ^= 1;
	t.seed(1);
	CHECK_THROWS_AS(t.restore(saved), std::invalid_argument);
	CHECK(t == cprng::stream(1));
}

// Catches an engine that the standard library cannot use.
TEST_CASE("C++ stream: distributions and algorithms of the standard library")
{
	cprng::stream s(21);
	std::vector<std::uint64_t> dice(6), coins(2), places(100);
	std::uniform_int_distribution<int> die(1, 6);
	std::bernoulli_distribution coin;
	std::uniform_real_distribution<> place(0, 100);
	std::normal_distribution<> normal;
	double sum = 0;

	for (int i = 0; i < 60000; i++) {
		dice.at(static_cast<std::size_t>(die(s) - 1))++;
		coins.at(coin(s) ? 1 : 0)++;
		places.at(std::min<std::size_t>(99, static_cast<std::size_t>(place(s))))++;
		sum += normal(s);
	}
	statistics::check_equal(dice, "uniform_int_distribution");
	statistics::check_equal(coins, "bernoulli_distribution");
	statistics::check_equal(places, "uniform_real_distribution");
	statistics::check_mean(sum / 60000, 0, 1, 60000, "normal_distribution");

	// adaptors contain a copy
	std::discard_block_engine<cprng::stream, 3, 1> thinned(s);
	cprng::stream t(s);
	const std::uint64_t first = t();
	t.discard(2);
	CHECK(thinned() == first);
	CHECK(thinned() == t());
	std::independent_bits_engine<cprng::stream, 17, std::uint32_t> narrow(s);
	CHECK(narrow() < 1u << 17);
	std::shuffle_order_engine<cprng::stream, 16> mixed(s);
	CHECK(mixed() != mixed());

	std::vector<int> v(1000), sample;
	std::iota(v.begin(), v.end(), 0);
	std::shuffle(v.begin(), v.end(), s);
	CHECK(!std::is_sorted(v.begin(), v.end()));
	std::sample(v.begin(), v.end(), std::back_inserter(sample), 10, s);
	CHECK(sample.size() == 10);
}

// Catches a number past the end that aborts, an offset that is moved by it, and a seed text that ends at a NUL.
TEST_CASE("C++ stream: the end")
{
	constexpr std::uint64_t end = std::uint64_t{ 1 } << 38;
	const std::array<std::uint8_t, 32> key = {};
	const std::array<std::uint8_t, 12> nonce = {};
	const cprng::weighted weights{ 1, 2 };
	std::vector<int> v{ 1, 2, 3, 4, 5 };
	cprng::stream s("chacha20", key, nonce);

	for (std::uint64_t left = 0; left < 4; left++) {
		const auto ends = [&](auto draw) {
			s.seek(end - left);
			CHECK_THROWS_AS(draw(), std::out_of_range);
			CHECK(s.tell() == end - left);
		};
		ends([&] { s(); });
		ends([&] { s.uniform(1000u); });
		ends([&] { s.uniform(UINT64_MAX); });
		ends([&] { s.range(-5, 5); });
		ends([&] { s.range(std::uint64_t{ 0 }, UINT64_MAX); });
		ends([&] { s.real(); });
		ends([&] { s.normal(); });
		ends([&] { s.exponential(); });
		ends([&] { s.bernoulli(0.3); });
		ends([&] { s.bernoulli(2, 3); });
		ends([&] { s.choose(weights); });
		ends([&] { s.shuffle(v.begin(), v.begin() + 2); });
	}
	// The last ones.
	s.seek(end - 8);
	s();
	CHECK(s.tell() == end);
	s.seek(end - 8);
	s.shuffle(v.begin(), v.begin() + 3);
	CHECK(s.tell() == end);
	CHECK_THROWS_AS(s.normal(0, -1), std::invalid_argument);
	CHECK_THROWS_AS(s.exponential(-1), std::invalid_argument);

	using namespace std::string_view_literals;
	CHECK(cprng::stream::from_string("seed and more"sv.substr(0, 4)) == cprng::stream::from_string("seed"));
	CHECK_THROWS_AS(cprng::stream::from_string("a\0b"sv), std::invalid_argument);
	CHECK_THROWS_AS(cprng::stream::from_string(""), std::invalid_argument);
}

// Catches a number that differs from C's.
TEST_CASE("C++ stream: its own numbers are those of C")
{
	cprng::stream s(31);
	cprng_stream c;
	REQUIRE(cprng_stream_seed_integer(&c, nullptr, 31) == 0);

	for (int i = 0; i < 500; i++) {
		REQUIRE(s.uniform(6u) == cprng_stream_uniform32(&c, 6));
		REQUIRE(s.uniform(std::uint8_t{ 200 }) == cprng_stream_uniform32(&c, 200));
		REQUIRE(s.uniform(UINT64_C(3) << 61) == cprng_stream_uniform64(&c, UINT64_C(3) << 61));
		REQUIRE(s.range(-3, 2) == cprng_stream_int_range(&c, -3, 2));
		REQUIRE(s.range(2LL, -3LL) == cprng_stream_int_range(&c, -3, 2));
		REQUIRE(s.range(7, 7) == cprng_stream_int_range(&c, 7, 7));
		REQUIRE(s.uniform(UINT32_MAX) == cprng_stream_uniform32(&c, UINT32_MAX));
		REQUIRE(s.uniform((1u << 31) + 1) == cprng_stream_uniform32(&c, (1u << 31) + 1));
		REQUIRE(s.uniform(0u) == cprng_stream_uniform32(&c, 0));
		REQUIRE(s.range(INT64_MIN, INT64_MAX) == cprng_stream_int_range(&c, INT64_MIN, INT64_MAX));
		REQUIRE(static_cast<unsigned int>(s.range<signed char>(-128, 127)) + 128u ==
			cprng_stream_uniform32(&c, 256));
		REQUIRE(s.real() == cprng_stream_double(&c));
		REQUIRE(s.normal() == cprng_stream_normal(&c, 0, 1));
		REQUIRE(s.normal(4, 2) == cprng_stream_normal(&c, 4, 2));
		REQUIRE(s.exponential(0.5) == cprng_stream_exponential(&c, 0.5));
	}
	std::vector<double> a(777), b(777);
	s.fill_real(a);
	REQUIRE(cprng_stream_fill_double(&c, b.data(), b.size()) == 0);
	CHECK(a == b);
	s.fill_normal(a, 1, 2);
	REQUIRE(cprng_stream_fill_normal(&c, b.data(), b.size(), 1, 2) == 0);
	CHECK(a == b);
	s.fill_exponential(a, 3);
	REQUIRE(cprng_stream_fill_exponential(&c, b.data(), b.size(), 3) == 0);
	CHECK(a == b);
	CHECK_THROWS_AS(s.fill_normal(a, 0, -1), std::invalid_argument);
	const cprng::weighted weights{ 5, 1, 7 };
	cprng::uuid uuid;
	char text[31];
	for (int i = 0; i < 100; i++) {
		REQUIRE(s.bernoulli(0.3) == (cprng_stream_bernoulli(&c, 0.3) == 1));
		REQUIRE(s.bernoulli(2, 3) == (cprng_stream_bernoulli_ratio(&c, 2, 3) == 1));
		REQUIRE(s.choose(weights) == cprng_stream_weighted(&c, weights.get()));
		REQUIRE(cprng_stream_text(&c, text, 30, "abc", 3) == 0);
		REQUIRE(s.text(30, "abc") == text);
		REQUIRE(cprng_stream_uuid4(&c, uuid.data()) == 0);
		REQUIRE(s.uuid4() == uuid);
		REQUIRE(cprng_stream_uuid7(&c, 1234567, uuid.data()) == 0);
		REQUIRE(s.uuid7(1234567) == uuid);
	}
	CHECK_THROWS_AS(s.text(3, ""), std::invalid_argument);
	CHECK_THROWS_AS(s.uuid7(std::uint64_t{ 1 } << 48), std::invalid_argument);
	s.shuffle(a.begin(), a.end());
	cprng_stream_shuffle(&c, b.data(), b.size(), sizeof(b[0]));
	CHECK(a == b);
	CHECK(s.tell() == cprng_stream_tell(&c));
}
