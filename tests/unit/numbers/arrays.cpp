// SPDX-License-Identifier: BSD-2-Clause
// Array functions give the same numbers as single calls, on every backend.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/statistics.hpp"

#include "numbers/constants.h"
#include "numbers/numbers.h"

#include <array>
#include <cmath>

namespace {

cprng_stream open_stream(const char *engine = "chacha8")
{
	const Bytes key(32, 0x52);
	cprng_stream s;
	REQUIRE(cprng_stream_init(&s, engine, key.data(), key.size(), nullptr, 0) == 0);
	return s;
}

// Compares arrays of several lengths and offsets with single numbers.  Nothing outside the array may be written.
template <class Number, class Fill, class Single> void check_fill(const char *what, Fill fill, Single single)
{
	run::Random random(what);

	for (std::size_t count : { 0, 1, 2, 3, 7, 8, 9, 31, 255, 256, 257, 1023, 1024, 1025, 2100, 5000, 33001 }) {
		cprng_stream s = open_stream(count % 2 == 0 ? "chacha8" : "aes256-ctr");
		for (std::size_t skipped = random.below(1100); skipped > 0; skipped--)
			cprng_stream_u8(&s);
		cprng_stream t = s;
		// The array begins one number behind a cache line.
		std::vector<Number> got(count + 1 + 64 / sizeof(Number) + 1, Number{ 42 });
		const std::size_t first = (64 - reinterpret_cast<std::uintptr_t>(got.data()) % 64) / sizeof(Number) + 1;
		REQUIRE(fill(&s, got.data() + first, count) == 0);
		INFO(what << ", " << count);
		CHECK(got[first - 1] == 42);
		CHECK(got[first + count] == 42);
		for (std::size_t i = 0; i < count; i++) {
			const Number want = single(&t);
			// bit by bit
			REQUIRE(std::memcmp(&got[first + i], &want, sizeof(want)) == 0);
		}
		CHECK(cprng_stream_tell(&s) == cprng_stream_tell(&t));
	}
}

std::vector<const cprng_numbers_backend *> usable_numbers_backends()
{
	std::vector<const cprng_numbers_backend *> v;
	for (const cprng_numbers_backend *b = cprng_numbers_backends; b->name != nullptr; b++) {
		if ((b->needs & ~cprng_cpu_features()) == 0)
			v.push_back(b);
	}
	return v;
}

// Inputs that reach every branch of the functions: both tails to their ends, the middle, and the boundaries.
std::vector<std::uint64_t> telling_bits()
{
	run::Random random("telling bits");
	std::vector<std::uint64_t> v = { 0, 1, 2, 3, UINT64_MAX, UINT64_MAX - 1, INT64_MAX, INT64_MAX - 1 };

	for (int i = 0; i < 3000; i++)
		v.push_back(random.word());
	for (int shift = 0; shift < 64; shift++) {
		for (int i = 0; i < 40; i++) {
			const std::uint64_t x = random.word() >> shift;
			v.insert(v.end(), { x, ~x, x ^ (UINT64_C(1) << 63), ~x ^ (UINT64_C(1) << 63) });
		}
	}
	// around the beginnings of the tails
	for (std::uint64_t x = CPRNG_NORMAL_TAIL - 3000; x < CPRNG_NORMAL_TAIL + 3000; x += 7)
		v.insert(v.end(), { x, ~x });
	for (std::uint64_t x = CPRNG_NORMAL_TAIL - 3; x <= CPRNG_NORMAL_TAIL + 3; x++)
		v.insert(v.end(), { x, -x });
	// around 0.425 * 2^64, and the logarithms 8 and 20
	for (double p : { 0.075, std::exp(-8.0), std::exp(-20.0), std::sqrt(0.5), 0.5 }) {
		const auto x = static_cast<std::uint64_t>(p * 0x1p64);
		for (std::uint64_t d = 0; d < 40; d++) {
			for (std::uint64_t y : { x + d * 512, x - d * 512 })
				v.insert(v.end(), { y, y ^ (UINT64_C(1) << 63), (UINT64_C(1) << 63) - y });
		}
	}
	return v;
}

// Tests a continuous distribution: the values of its distribution function at the numbers are uniform.
template <class Draw, class Below> void check_distribution(const char *what, Draw draw, Below below)
{
	std::vector<std::uint64_t> places(128);
	std::vector<double> numbers(100000);

	for (int pass = 0; pass < run::volume(3, 100); pass++) {
		draw(numbers);
		for (double x : numbers)
			places.at(std::min<std::size_t>(127, static_cast<std::size_t>(below(x) * 128)))++;
	}
	statistics::check_equal(places, what);
}

// For the chosen inputs, from each of the first four on, fill's results must equal single's.
template <class Fill, class Single>
void every_place(const char *what, const cprng_numbers_backend *backend, const Fill &fill, const Single &single)
{
	const std::vector<std::uint64_t> bits = telling_bits();

	for (std::size_t first : { 0, 1, 2, 3 }) {
		Bytes bytes;
		for (std::size_t i = first; i < bits.size(); i++) {
			for (int byte = 0; byte < 8; byte++)
				bytes.push_back(static_cast<std::uint8_t>(bits[i] >> 8 * byte));
		}
		fill(bytes.data(), bits.size() - first);
		for (std::size_t i = first; i < bits.size(); i++) {
			const auto want = single(bits[i]);
			INFO(what << ", " << backend->name << ", " << bits[i]);
			static_assert(sizeof(want) == 8);
			REQUIRE(std::memcmp(&bytes[8 * (i - first)], &want, 8) == 0);
		}
	}
}

// Bounds that refuse no word, few, and a half of them.
constexpr std::uint32_t bounds[] = { 0, 1, 2, 6, 1000, 65536, 0x55555556, 0x80000000, 0x80000001, UINT32_MAX };

// The number below bound that a word gives, or nothing (docs/streams-specification.md).
std::vector<std::uint64_t> below(std::uint32_t bound, std::uint32_t word)
{
	const std::uint64_t m = std::uint64_t{ word } * bound, values = UINT64_C(1) << 32;

	if (bound != 0 && m % values < values % bound)
		return {};
	return { m / values };
}

// Words that are refused just so and just not, among others: few, so that whole vectors have none, and many.
std::vector<std::uint32_t> telling_words(std::uint32_t bound, std::size_t distance)
{
	run::Random random("telling words");
	std::vector<std::uint32_t> v;

	for (std::size_t i = 0; v.size() < 700; i++) {
		// The first word of a number, and the one behind: their low halves are the least ones.
		const std::uint64_t number = bound == 0 ? 0 : random.below(bound);
		const std::uint64_t first = bound == 0 ? 0 : ((number << 32) + bound - 1) / bound;

		v.push_back(static_cast<std::uint32_t>(first + i % 2));
		for (std::size_t j = random.below(distance); j > 0; j--)
			v.push_back(static_cast<std::uint32_t>(random.word()));
	}
	v.insert(v.end(), { 0, 1, UINT32_MAX, UINT32_MAX - 1 });
	return v;
}

// All that a backend makes of the words, of each number of them up to three times 64; nothing else is written.
template <class Number, class Fill>
void every_word(const char *what, const cprng_numbers_backend *backend, std::uint32_t bound, std::uint64_t first,
		const Fill &fill)
{
	for (std::size_t distance : { 1, 3, 150 }) {
		const std::vector<std::uint32_t> words = telling_words(bound, distance);

		for (std::size_t count = 0; count <= words.size(); count += count < 192 ? 1 : words.size() - 192) {
			std::vector<Number> want;
			Bytes bytes(1, 42);
			for (std::size_t i = 0; i < count; i++) {
				for (std::uint64_t number : below(bound, words[i]))
					want.push_back(static_cast<Number>(number + first));
			}
			// At an odd address; the words are at the end of their place.
			bytes.resize(1 + (sizeof(Number) - 4) * count);
			for (std::size_t i = 0; i < count; i++) {
				for (int byte = 0; byte < 4; byte++)
					bytes.push_back(static_cast<std::uint8_t>(words[i] >> 8 * byte));
			}
			bytes.push_back(42);
			INFO(what << ", " << backend->name << ", " << bound << ", " << count << " words");
			REQUIRE(fill(bytes.data() + 1, count) == want.size());
			REQUIRE((want.empty() ||
				 std::memcmp(bytes.data() + 1, want.data(), sizeof(Number) * want.size()) == 0));
			REQUIRE(bytes.front() == 42);
			REQUIRE(bytes.back() == 42);
		}
	}
}

} // namespace

// Catches a number that differs from the single call's, and a write outside the array.
TEST_CASE("stream arrays: the same as single calls")
{
	check_fill<std::uint32_t>("u32", cprng_stream_fill_u32, [](cprng_stream *s) { return cprng_stream_u32(s); });
	check_fill<std::uint64_t>("u64", cprng_stream_fill_u64, [](cprng_stream *s) { return cprng_stream_u64(s); });
	for (std::uint32_t bound : bounds) {
		check_fill<std::uint32_t>(
			"uniform32",
			[=](cprng_stream *s, std::uint32_t *out, std::size_t n) {
				return cprng_stream_fill_uniform32(s, out, n, bound);
			},
			[=](cprng_stream *s) { return cprng_stream_uniform32(s, bound); });
	}
	for (std::uint64_t bound : { UINT64_C(0), UINT64_C(1), UINT64_C(1000), UINT64_C(0xffffffff), UINT64_C(1) << 32,
				     (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 63) + 1, UINT64_MAX }) {
		check_fill<std::uint64_t>(
			"uniform64",
			[=](cprng_stream *s, std::uint64_t *out, std::size_t n) {
				return cprng_stream_fill_uniform64(s, out, n, bound);
			},
			[=](cprng_stream *s) { return cprng_stream_uniform64(s, bound); });
		check_fill<std::uint64_t>(
			"range64",
			[=](cprng_stream *s, std::uint64_t *out, std::size_t n) {
				return cprng_stream_fill_range64(s, out, n, bound, 7);
			},
			[=](cprng_stream *s) { return cprng_stream_range64(s, bound, 7); });
	}
	check_fill<std::uint64_t>(
		"the whole range64",
		[](cprng_stream *s, std::uint64_t *out, std::size_t n) {
			return cprng_stream_fill_range64(s, out, n, 0, UINT64_MAX);
		},
		[](cprng_stream *s) { return cprng_stream_range64(s, 0, UINT64_MAX); });
	for (std::int64_t lo : { INT64_MIN, INT64_MIN + 1, INT64_C(-6), INT64_C(0), INT64_MAX }) {
		check_fill<std::int64_t>(
			"int_range",
			[=](cprng_stream *s, std::int64_t *out, std::size_t n) {
				return cprng_stream_fill_int_range(s, out, n, lo, INT64_MAX);
			},
			[=](cprng_stream *s) { return cprng_stream_int_range(s, lo, INT64_MAX); });
		check_fill<std::int64_t>(
			"int_range, to 5",
			[=](cprng_stream *s, std::int64_t *out, std::size_t n) {
				return cprng_stream_fill_int_range(s, out, n, lo, 5);
			},
			[=](cprng_stream *s) { return cprng_stream_int_range(s, lo, 5); });
	}
	check_fill<float>("float", cprng_stream_fill_float, [](cprng_stream *s) { return cprng_stream_float(s); });
	check_fill<double>("double", cprng_stream_fill_double, [](cprng_stream *s) { return cprng_stream_double(s); });
	check_fill<double>(
		"normal",
		[](cprng_stream *s, double *out, std::size_t n) { return cprng_stream_fill_normal(s, out, n, 0, 1); },
		[](cprng_stream *s) { return cprng_stream_normal(s, 0, 1); });
	check_fill<double>(
		"normal, -5 and 0.3",
		[](cprng_stream *s, double *out, std::size_t n) {
			return cprng_stream_fill_normal(s, out, n, -5, 0.3);
		},
		[](cprng_stream *s) { return cprng_stream_normal(s, -5, 0.3); });
	SUBCASE("exponentials")
	{
		check_fill<double>(
			"exponential, 2.7",
			[](cprng_stream *s, double *out, std::size_t n) {
				return cprng_stream_fill_exponential(s, out, n, 2.7);
			},
			[](cprng_stream *s) { return cprng_stream_exponential(s, 2.7); });
	}
}

// Catches a backend that computes in another order, fuses operations, or takes another branch.
TEST_CASE("stream arrays: every backend gives the same bits, in the tails too")
{
	for (const cprng_numbers_backend *b : usable_numbers_backends()) {
		every_place(
			"normals", b, [b](std::uint8_t *bytes, std::size_t n) { b->normals(bytes, n, 3, 1.7); },
			[](std::uint64_t x) { return cprng_number_normal(x, 3, 1.7); });
		every_place(
			"doubles", b, [b](std::uint8_t *bytes, std::size_t n) { b->doubles(bytes, n); },
			[](std::uint64_t x) { return static_cast<double>(x >> 11) * 0x1p-53; });
		every_place(
			"floats", b, [b](std::uint8_t *bytes, std::size_t n) { b->floats(bytes, 2 * n); },
			[](std::uint64_t x) {
				return std::array<float, 2>{ static_cast<float>((x & 0xffffffff) >> 8) * 0x1p-24f,
							     static_cast<float>(x >> 40) * 0x1p-24f };
			});
	}
	SUBCASE("exponentials")
	{
		for (const cprng_numbers_backend *b : usable_numbers_backends()) {
			every_place(
				"exponentials", b,
				[b](std::uint8_t *bytes, std::size_t n) { b->exponentials(bytes, n, 1.7); },
				[](std::uint64_t x) { return cprng_number_exponential(x, 1.7); });
		}
	}
}

// Catches a refused word that makes a number, a lost one, numbers in another order, and a write outside their place.
TEST_CASE("stream arrays: integers below a bound, refused words among them, on every backend")
{
	for (const cprng_numbers_backend *b : usable_numbers_backends()) {
		for (std::uint32_t bound : bounds) {
			every_word<std::uint32_t>("uniform32", b, bound, 0, [=](std::uint8_t *bytes, std::size_t n) {
				return b->uniform32(bytes, n, bound);
			});
			const std::uint64_t first = UINT64_MAX - 4;
			every_word<std::uint64_t>("narrow64", b, bound, first, [=](std::uint8_t *bytes, std::size_t n) {
				return b->narrow64(bytes, n, bound, first);
			});
		}
	}
}

// Catches an offset that moves, and an answer of 0, where the words that are refused reach the end of the stream.
TEST_CASE("stream arrays: integers below a bound at the end of the stream")
{
	const std::uint64_t end = UINT64_C(1) << 38;
	const Bytes key(32, 0x52), nonce(12);
	cprng_stream s;
	REQUIRE(cprng_stream_init(&s, "chacha8", key.data(), key.size(), nonce.data(), nonce.size()) == 0);

	int ended = 0;
	for (std::size_t count = 1; count < 40; count++) {
		std::vector<std::uint64_t> v(count);
		std::vector<std::uint32_t> narrow(count);

		// One word for each number, of which half are refused.
		REQUIRE(cprng_stream_seek(&s, end - 8 * count) == 0);
		int error = cprng_stream_fill_uniform64(&s, v.data(), count, (UINT64_C(1) << 63) + 1);
		if (error != 0) {
			ended++;
			CHECK(error == CPRNG_ERR_RANGE);
			CHECK(cprng_stream_tell(&s) == end - 8 * count);
		}
		REQUIRE(cprng_stream_seek(&s, end - 4 * count) == 0);
		error = cprng_stream_fill_uniform32(&s, narrow.data(), count, 0x80000001);
		if (error != 0) {
			ended++;
			CHECK(error == CPRNG_ERR_RANGE);
			CHECK(cprng_stream_tell(&s) == end - 4 * count);
		}
		// All of them: no word is refused.
		REQUIRE(cprng_stream_seek(&s, end - 4 * count) == 0);
		CHECK(cprng_stream_fill_uniform64(&s, v.data(), count, 65536) == 0);
		CHECK(cprng_stream_tell(&s) == end);
		CHECK(cprng_stream_fill_int_range(&s, reinterpret_cast<std::int64_t *>(v.data()), 1, 0, 1) ==
		      CPRNG_ERR_RANGE);
	}
	CHECK(ended > 60);
}

// Catches truncated or distorted tails, by applying libm's distribution function to the numbers.
TEST_CASE("stream arrays: normals and exponentials are the inverse of their distribution functions")
{
	for (std::uint64_t x : telling_bits()) {
		const auto w = static_cast<std::int64_t>(x | 1);
		const double z = cprng_number_normal(x, 0, 1), e = cprng_number_exponential(x, 1);
		// The smaller probability, which keeps all its digits.
		const double beyond =
			static_cast<double>((UINT64_C(1) << 63) - static_cast<std::uint64_t>(std::llabs(w))) * 0x1p-64;
		INFO(x << ": " << z << ", " << e);
		REQUIRE((z > 0) == (w > 0));
		REQUIRE(std::fabs(std::erfc(std::fabs(z) / std::sqrt(2.0)) / 2 / beyond - 1) < 1e-12);
		REQUIRE(e > 0);
		const double u = static_cast<double>(x | 1) * 0x1p-64;
		if (u < 0.5)
			REQUIRE(std::fabs(std::log(u) / -e - 1) < 1e-15);
		else
			REQUIRE(std::fabs(-std::expm1(-e) / (static_cast<double>(-(x | 1)) * 0x1p-64) - 1) < 1e-15);
	}
	// The first and the last number.
	CHECK(cprng_number_normal(UINT64_C(1) << 63, 0, 1) == -cprng_number_normal(INT64_MAX, 0, 1));
	CHECK(std::fabs(cprng_number_normal(INT64_MAX, 0, 1) - 9.080155124873613) < 1e-14);
	CHECK(cprng_number_normal(0, 0, 1) == -cprng_number_normal(UINT64_MAX, 0, 1));
	CHECK(cprng_number_exponential(UINT64_MAX, 1) == 0x1p-64);
	// sigma 0
	CHECK(cprng_number_normal(12345, 7, 0) == 7);
	CHECK(cprng_number_exponential(12345, 0) == 0);
}

// Catches normals that are not monotonic in their bits.
TEST_CASE("stream arrays: larger bits give larger normals and smaller exponentials")
{
	std::vector<std::uint64_t> bits = telling_bits();

	std::sort(bits.begin(), bits.end());
	for (std::size_t i = 1; i < bits.size(); i++) {
		const std::uint64_t a = bits[i - 1], b = bits[i], top = UINT64_C(1) << 63;
		// Rounding may swap numbers that are this close together.
		INFO(a << ", " << b);
		REQUIRE(cprng_number_normal(a ^ top, 0, 1) <= cprng_number_normal(b ^ top, 0, 1) + 1e-14);
		REQUIRE(cprng_number_exponential(a, 1) * (1 + 1e-15) >= cprng_number_exponential(b, 1));
	}
}

// Catches a part of a distribution that is too frequent.
TEST_CASE("stream arrays: distribution")
{
	run::Random random("stream arrays: distribution");
	const Bytes key = random.bytes(32);
	cprng_stream s;
	REQUIRE(cprng_stream_init(&s, "chacha8", key.data(), key.size(), nullptr, 0) == 0);

	check_distribution(
		"fill_double",
		[&](std::vector<double> &v) { REQUIRE(cprng_stream_fill_double(&s, v.data(), v.size()) == 0); },
		[](double x) { return x; });
	check_distribution(
		"fill_normal",
		[&](std::vector<double> &v) { REQUIRE(cprng_stream_fill_normal(&s, v.data(), v.size(), 10, 3) == 0); },
		[](double x) { return std::erfc((10 - x) / 3 / std::sqrt(2.0)) / 2; });
	check_distribution(
		"fill_exponential",
		[&](std::vector<double> &v) { REQUIRE(cprng_stream_fill_exponential(&s, v.data(), v.size(), 4) == 0); },
		[](double x) { return -std::expm1(-x / 4); });
}
