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

	for (std::size_t count : { 0, 1, 2, 3, 7, 8, 9, 31, 255, 256, 257, 1023, 1024, 1025, 2100, 5000, 9001 }) {
		cprng_stream s = open_stream(count % 2 == 0 ? "chacha8" : "aes256-ctr");
		for (std::size_t skipped = random.below(1100); skipped > 0; skipped--)
			cprng_stream_u8(&s);
		cprng_stream t = s;
		std::vector<Number> got(count + 2, Number{ 42 });
		REQUIRE(fill(&s, got.data() + 1, count) == 0);
		INFO(what << ", " << count);
		CHECK(got.front() == 42);
		CHECK(got.back() == 42);
		for (std::size_t i = 0; i < count; i++) {
			const Number want = single(&t);
			// bit by bit
			REQUIRE(std::memcmp(&got[i + 1], &want, sizeof(want)) == 0);
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

} // namespace

// Catches a number that differs from the single call's, and a write outside the array.
TEST_CASE("stream arrays: the same as single calls")
{
	check_fill<std::uint32_t>("u32", cprng_stream_fill_u32, [](cprng_stream *s) { return cprng_stream_u32(s); });
	check_fill<std::uint64_t>("u64", cprng_stream_fill_u64, [](cprng_stream *s) { return cprng_stream_u64(s); });
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
