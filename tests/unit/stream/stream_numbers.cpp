// SPDX-License-Identifier: BSD-2-Clause
// Numbers from streams: the bytes that they use, at any offset and after any mixture of reads, and refusals.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/stream_numbers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace stream_numbers_tests {

namespace {

const Bytes key(32, 0x51);

cprng_stream open_stream(const char *engine = "chacha8")
{
	cprng_stream s;
	REQUIRE(cprng_stream_init(&s, engine, key.data(), key.size(), nullptr, 0) == 0);
	return s;
}

Bytes bytes_of(const char *engine, std::uint64_t offset, std::size_t length)
{
	const cprng_engine *e = cprng_engine_find(engine);
	return keystream(e, portable_backend(e), { key, Bytes(e->nonce_sizes[0]), 0 }, offset, length);
}

std::uint64_t little_endian(const std::uint8_t *p, std::size_t size)
{
	std::uint64_t x = 0;
	for (std::size_t i = 0; i < size; i++)
		x |= std::uint64_t{ p[i] } << 8 * i;
	return x;
}

// The library's functions, which programs call when nothing is inlined.
std::uint8_t (*volatile call_u8)(cprng_stream *) = cprng_stream_u8;
std::uint16_t (*volatile call_u16)(cprng_stream *) = cprng_stream_u16;
std::uint32_t (*volatile call_u32)(cprng_stream *) = cprng_stream_u32;
std::uint64_t (*volatile call_u64)(cprng_stream *) = cprng_stream_u64;
int (*volatile call_read)(cprng_stream *, void *, std::size_t) = cprng_stream_read;

// Reads whose sizes the compiler knows; those of up to 64 bytes are inlined.
template <std::size_t size> int read_constant(cprng_stream *s, void *out)
{
	return cprng_stream_read(s, out, size);
}

#define READ(size) { size, read_constant<size> }
const std::map<std::size_t, int (*)(cprng_stream *, void *)> constant_reads = {
	READ(1),  READ(2),  READ(3),  READ(7),  READ(8),  READ(12), READ(16),
	READ(24), READ(31), READ(32), READ(48), READ(63), READ(64), READ(65),
};
#undef READ

int read_inlined(cprng_stream *s, void *out, std::size_t size)
{
	const auto found = constant_reads.find(size);

	return found != constant_reads.end() ? found->second(s, out) : cprng_stream_read(s, out, size);
}

} // namespace

// Catches a wrong byte order, a number that is skipped at the buffer's end, and a wrong offset.
TEST_CASE("stream numbers: any mixture of reads and numbers is defined by the offset")
{
	run::Random random("stream numbers: mixture");
	const std::size_t length = 60000;

	for (const cprng_engine *engine : all_engines()) {
		if (engine->key_sizes[0] != 32)
			continue;
		const Bytes want = bytes_of(engine->name, 0, length);
		cprng_stream s = open_stream(engine->name);
		std::size_t at = 0;
		while (at + 5000 < length) {
			std::size_t size = std::size_t{ 1 } << random.below(4);
			std::uint64_t got = 0;
			const bool called = random.coin();
			switch (random.below(8)) {
			case 0: // a read, now and then a long one
				size = random.below(random.below(10) == 0 ? 5000 : random.coin() ? 300 : 40);
				{
					Bytes buf(size + 1, 0xee);
					const auto error = called ? call_read(&s, buf.data(), size) :
								    read_inlined(&s, buf.data(), size);
					REQUIRE(error == 0);
					same(buf.data(), want.data() + at, size, "read");
					REQUIRE(buf[size] == 0xee);
				}
				at += size;
				REQUIRE(cprng_stream_tell(&s) == at);
				continue;
			case 1: // a step forward or back
				at = random.coin() ? at + random.below(3000) : at - random.below(at / 4 + 1);
				REQUIRE(cprng_stream_seek(&s, at) == 0);
				continue;
			default:
				if (size == 1)
					got = called ? call_u8(&s) : cprng_stream_u8(&s);
				else if (size == 2)
					got = called ? call_u16(&s) : cprng_stream_u16(&s);
				else if (size == 4)
					got = called ? call_u32(&s) : cprng_stream_u32(&s);
				else
					got = called ? call_u64(&s) : cprng_stream_u64(&s);
			}
			INFO(engine->name << ", " << size << " bytes at " << at);
			REQUIRE(got == little_endian(want.data() + at, size));
			at += size;
			REQUIRE(cprng_stream_tell(&s) == at);
		}
	}
}

// Catches wrong bits, a result of 1.0, and a wrong change of the offset.
TEST_CASE("stream numbers: bool, float and double are the stated bits of 1, 4 and 8 bytes")
{
	cprng_stream s = open_stream(), t = s;

	for (int i = 0; i < 3000; i++) {
		REQUIRE(cprng_stream_bool(&s) == (cprng_stream_u8(&t) & 1));
		REQUIRE(cprng_stream_float(&s) == static_cast<float>(cprng_stream_u32(&t) >> 8) * 0x1p-24f);
		REQUIRE(cprng_stream_double(&s) == static_cast<double>(cprng_stream_u64(&t) >> 11) * 0x1p-53);
		REQUIRE(cprng_stream_tell(&s) == cprng_stream_tell(&t));
	}
}

// Catches a bias, an excluded bound that is returned, and numbers of the wrong width.  tests/unit/numbers/uniform.cpp has the
// rule for draws.
TEST_CASE("stream numbers: bounded integers take the numbers that Lemire's rule takes")
{
	cprng_stream s = open_stream(), t = s;
	const std::uint64_t bounds[] = { 0, 1, 2, 3, 6, 1000, 0x80000001, 0xfffffffe, 0xffffffff };

	for (int i = 0; i < 300; i++) {
		for (std::uint64_t bound : bounds) {
			const auto bound32 = static_cast<std::uint32_t>(bound);
			const std::uint64_t want = lemire32(&t, bound32);
			REQUIRE(cprng_stream_uniform32(&s, bound32) == want);
			REQUIRE(cprng_stream_tell(&s) == cprng_stream_tell(&t));
			REQUIRE(cprng_stream_uniform64(&s, bound) == lemire32(&t, bound32));
			REQUIRE(cprng_stream_tell(&s) == cprng_stream_tell(&t));
		}
		for (std::uint64_t bound : { std::uint64_t{ 1 } << 32, (std::uint64_t{ 1 } << 63) + 1, UINT64_MAX }) {
			REQUIRE(cprng_stream_uniform64(&s, bound) == lemire64(&t, bound));
			REQUIRE(cprng_stream_tell(&s) == cprng_stream_tell(&t));
		}
		REQUIRE(cprng_stream_range64(&s, 10, 15) == 10 + lemire32(&t, 6));
		REQUIRE(cprng_stream_range64(&s, 15, 10) == 10 + lemire32(&t, 6));
		REQUIRE(cprng_stream_range64(&s, 0, UINT64_MAX) == cprng_stream_u64(&t));
		REQUIRE(cprng_stream_range64(&s, 1, UINT64_MAX) == 1 + lemire64(&t, UINT64_MAX));
		REQUIRE(cprng_stream_int_range(&s, -3, 3) == -3 + static_cast<std::int64_t>(lemire32(&t, 7)));
		REQUIRE(cprng_stream_int_range(&s, 3, -3) == -3 + static_cast<std::int64_t>(lemire32(&t, 7)));
		REQUIRE(static_cast<std::uint64_t>(cprng_stream_int_range(&s, INT64_MIN, INT64_MAX)) +
				(UINT64_C(1) << 63) ==
			static_cast<std::uint64_t>(cprng_stream_u64(&t)));
		REQUIRE(cprng_stream_int_range(&s, INT64_MIN, INT64_MIN) == INT64_MIN);
		lemire32(&t, 1);
		REQUIRE(cprng_stream_tell(&s) == cprng_stream_tell(&t));
	}
}

// Catches a wrong order of choices, and a choice without influence.
TEST_CASE("stream numbers: a shuffle is that of Fisher and Yates from the last element down")
{
	cprng_stream s = open_stream(), t = s;

	for (std::size_t count : { 0, 1, 2, 7, 52, 1000 }) {
		std::vector<std::uint32_t> got, want;
		for (std::uint32_t i = 0; i < count; i++)
			got.push_back(i);
		want = got;
		cprng_stream_shuffle(&s, got.data(), count, sizeof(got[0]));
		for (std::size_t left = count; left > 1; left--)
			std::swap(want[left - 1], want[lemire32(&t, static_cast<std::uint32_t>(left))]);
		CHECK(got == want);
		CHECK(cprng_stream_tell(&s) == cprng_stream_tell(&t));
	}
}

// Catches repeated or too large integers, and sets that are not equally likely.
TEST_CASE("stream numbers: samples are distinct, in range, and follow the stated method")
{
	cprng_stream s = open_stream(), t = s;
	const struct {
		std::size_t k;
		std::uint64_t n;
	} cases[] = {
		{ 0, 0 },           { 0, 9 },       { 1, 1 },       { 1, 2 },
		{ 5, 5 },           { 3, 6 },       { 4, 7 },       { 4, 8 },
		{ 500, 1000 },      { 501, 1000 },  { 1000, 1000 }, { 300, 100000 },
		{ 100, 256 },       { 2000, 4096 }, { 64, 128 },    { 200, UINT64_C(1) << 40 },
		{ 50, UINT64_MAX },
	};

	for (const auto &c : cases) {
		std::vector<std::uint64_t> got(c.k + 1, 77);
		REQUIRE(cprng_stream_sample(&s, got.data(), c.k, c.n) == 0);
		INFO(c.k << " of " << c.n);
		CHECK(got.back() == 77);
		got.pop_back();
		CHECK(std::set<std::uint64_t>(got.begin(), got.end()).size() == c.k);
		for (std::uint64_t x : got)
			REQUIRE(x < c.n);
		CHECK(got == sample_by_the_book(&t, c.k, c.n));
		CHECK(cprng_stream_tell(&s) == cprng_stream_tell(&t));
	}
}

// Catches a second word of a trial that is not the one after the first.  Such a trial is too rare, so its first word is put into
// the buffer, at each place that lets the second one lie before, across and after the buffer's end.
TEST_CASE("stream numbers: a trial whose first word does not tell")
{
	// Digits 21 to 73: 44 are of the first word, and 9 of the second.
	const double p = 0x1.6a09e667f3bcdp-21;
	const std::uint64_t first = static_cast<std::uint64_t>(std::floor(p * 0x1p64)),
			    rest = static_cast<std::uint64_t>(std::ldexp(p * 0x1p64 - std::floor(p * 0x1p64), 64));
	std::array<bool, 2> seen{};
	cprng_stream s = open_stream();

	for (std::ptrdiff_t left = 8; left < 200; left++) {
		(void)cprng_stream_u8(&s);
		s.next = -left;
		cprng_stream t = s, u = s;
		for (int i = 0; i < 8; i++)
			t.buffer[sizeof(t.buffer) - static_cast<std::size_t>(left - i)] =
				static_cast<unsigned char>(first >> 8 * i);
		(void)cprng_stream_u64(&u);
		const bool expected = cprng_stream_u64(&u) < rest;
		INFO(left << " bytes left");
		CHECK(cprng_stream_bernoulli(&t, p) == static_cast<int>(expected));
		CHECK(cprng_stream_tell(&t) == cprng_stream_tell(&u));
		seen[expected] = true;
		s = u;
	}
	CHECK((seen[0] && seen[1]));
}

// Catches a number with a status that is not the number without, an end that is not reported, and one that moves the offset or
// writes.  Each function is called at each place near the end of a stream, where the fills, of one number, know the status.
TEST_CASE("stream numbers: those with a status are the same, and the end leaves offset and result")
{
	const std::uint64_t end = UINT64_C(1) << 38, values[] = { 5, 0, UINT64_C(1) << 62 };
	const Bytes nonce(12, 7);
	cprng_alias table[3];
	cprng_weights w;
	cprng_stream s;

	REQUIRE(cprng_weights_init(&w, table, values, 3) == 0);
	REQUIRE(cprng_stream_init(&s, "chacha20", key.data(), key.size(), nonce.data(), nonce.size()) == 0);
	for (std::uint64_t left = 0; left < 100; left++) {
		const auto check = [&](auto take, auto want, auto fill) {
			cprng_stream t, u;
			REQUIRE(cprng_stream_seek(&s, end - left) == 0);
			t = u = s;
			std::remove_reference_t<decltype(want)> got = want;
			const int status = fill(&u);
			CHECK(take(&t, &got) == status);
			CHECK(cprng_stream_tell(&t) == cprng_stream_tell(&u));
			return std::make_pair(status, got);
		};
		const auto same = [&](auto take, auto single, auto none, auto fill) {
			const auto result = check(take, none, fill);
			cprng_stream t = s;
			CHECK(result.second == (result.first == 0 ? single(&t) : none));
			if (result.first == 0)
				CHECK(cprng_stream_tell(&t) > end - left);
		};
		const auto words = [](std::uint64_t bound) {
			return [bound](cprng_stream *t) {
				std::uint64_t number;
				return cprng_stream_fill_uniform64(t, &number, 1, bound);
			};
		};
		const auto eight = [](cprng_stream *t) {
			double number;
			return cprng_stream_fill_double(t, &number, 1);
		};
		const std::uint64_t none = 77;

		for (std::uint64_t bound :
		     { UINT64_C(1), UINT64_C(6), (UINT64_C(1) << 31) + 1, (UINT64_C(1) << 63) + 1 }) {
			same([&](auto *t, auto *out) { return cprng_stream_try_uniform64(t, out, bound); },
			     [&](auto *t) { return cprng_stream_uniform64(t, bound); }, none, words(bound));
			same([&](auto *t, auto *out) { return cprng_stream_try_range64(t, out, 3, 2 + bound); },
			     [&](auto *t) { return cprng_stream_range64(t, 3, 2 + bound); }, none, words(bound));
			const auto last = static_cast<std::int64_t>(bound - 10);
			same([&](auto *t, auto *out) { return cprng_stream_try_int_range(t, out, last, -9); },
			     [&](auto *t) { return cprng_stream_int_range(t, last, -9); }, std::int64_t{ 77 },
			     words(bound));
			same([&](auto *t,
				 auto *out) { return cprng_stream_try_bernoulli_ratio(t, out, bound / 2, bound); },
			     [&](auto *t) { return cprng_stream_bernoulli_ratio(t, bound / 2, bound); }, 77,
			     words(bound));
		}
		same([&](auto *t, auto *out) { return cprng_stream_try_weighted(t, out, &w); },
		     [&](auto *t) { return cprng_stream_weighted(t, &w); }, std::size_t{ 77 }, words(w.bound));
		same([](auto *t, auto *out) { return cprng_stream_try_double(t, out); },
		     [](auto *t) { return cprng_stream_double(t); }, 77.0, eight);
		same([](auto *t, auto *out) { return cprng_stream_try_normal(t, out, 1, 2); },
		     [](auto *t) { return cprng_stream_normal(t, 1, 2); }, 77.0, eight);
		same([](auto *t, auto *out) { return cprng_stream_try_exponential(t, out, 2); },
		     [](auto *t) { return cprng_stream_exponential(t, 2); }, 77.0, eight);
		same([](auto *t, auto *out) { return cprng_stream_try_bernoulli(t, out, 0.3); },
		     [](auto *t) { return cprng_stream_bernoulli(t, 0.3); }, 77, eight);

		// 99 indexes of 4 bytes, taken by 84 and 15; none is rejected.
		std::array<std::uint8_t, 100> order, again;
		std::iota(order.begin(), order.end(), std::uint8_t{ 0 });
		again = order;
		REQUIRE(cprng_stream_seek(&s, end - 4 * left) == 0);
		cprng_stream t = s;
		const int status = cprng_stream_try_shuffle(&s, order.data(), order.size(), 1);
		CHECK(status == (left < 99 ? CPRNG_ERR_RANGE : 0));
		CHECK(cprng_stream_tell(&s) == end - (status == 0 ? 0 : 4 * left));
		if (status == 0) {
			cprng_stream_shuffle(&t, again.data(), again.size(), 1);
			CHECK(order == again);
		}
		std::sort(order.begin(), order.end());
		CHECK(order[0] == 0);
		CHECK(std::adjacent_find(order.begin(), order.end()) == order.end());
	}
}

// Catches a sample with invalid arguments that succeeds, or that moves the offset.
TEST_CASE("stream numbers: refusals leave object and memory as they were")
{
	cprng_stream s = open_stream(), before;
	std::uint64_t out[4] = { 1, 2, 3, 4 };
	double *const none = nullptr;

	cprng_stream_u32(&s);
	std::memcpy(&before, &s, sizeof(s));
	CHECK(cprng_stream_sample(&s, out, 3, 2) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_sample(&s, out, 1, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_sample(&s, nullptr, 1, 5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_sample(nullptr, out, 1, 5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_fill_double(&s, none, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_fill_double(&s, none, 0) == 0);
	CHECK(cprng_stream_fill_double(nullptr, none, 0) == CPRNG_ERR_ARGUMENT);
	cprng_weights empty = {};
	int event = 1;
	std::size_t place = 1;
	CHECK(cprng_stream_try_range64(nullptr, out, 1, 5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_range64(&s, nullptr, 1, 5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_uniform64(&s, nullptr, 5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_int_range(&s, nullptr, 1, 5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_double(nullptr, none) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_double(&s, none) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_bernoulli(&s, nullptr, 0.5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_bernoulli(nullptr, &event, 0.5) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_bernoulli_ratio(&s, nullptr, 1, 2) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_weighted(&s, &place, &empty) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_weighted(&s, &place, nullptr) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_shuffle(nullptr, out, 4, 8) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_shuffle(&s, nullptr, 4, 8) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_stream_try_shuffle(&s, nullptr, 0, 8) == 0);
	CHECK(event == 1);
	CHECK(place == 1);
	CHECK(out[0] == 1);
	const double huge = HUGE_VAL, nan = std::nan(""), numbers[] = { 1, 2, 3, 4 };
	const struct {
		double mu, sigma;
	} wrong[] = { { 0, -1 }, { 0, -0x1p-1074 }, { 0, nan }, { nan, 1 }, { huge, 1 }, { -huge, 1 }, { 0, huge } };
	for (const auto &c : wrong) {
		double x[4] = { 1, 2, 3, 4 };
		CHECK(std::isnan(cprng_stream_normal(&s, c.mu, c.sigma)));
		CHECK(cprng_stream_fill_normal(&s, x, 4, c.mu, c.sigma) == CPRNG_ERR_ARGUMENT);
		CHECK(cprng_stream_try_normal(&s, x, c.mu, c.sigma) == CPRNG_ERR_ARGUMENT);
		CHECK(std::memcmp(x, numbers, sizeof(x)) == 0);
	}
	for (double mean : { -1.0, -0x1p-1074, nan, huge, -huge }) {
		double x[4] = { 1, 2, 3, 4 };
		CHECK(std::isnan(cprng_stream_exponential(&s, mean)));
		CHECK(cprng_stream_fill_exponential(&s, x, 4, mean) == CPRNG_ERR_ARGUMENT);
		CHECK(cprng_stream_try_exponential(&s, x, mean) == CPRNG_ERR_ARGUMENT);
		CHECK(std::memcmp(x, numbers, sizeof(x)) == 0);
	}
	CHECK(std::memcmp(&before, &s, sizeof(s)) == 0);
}

} // namespace stream_numbers_tests
