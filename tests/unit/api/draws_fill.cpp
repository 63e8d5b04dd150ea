// SPDX-License-Identifier: BSD-2-Clause
// cprng_fast(): any length at any address, completely and without writes outside.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/statistics.hpp"

#include <cerrno>
#include <set>

namespace {

// Draws a length several times, at several alignments, to reveal an unwritten or non-random byte.  False alarms: a byte is the
// same 16 times with probability 256^-15, for fewer than 10^7 bytes; nine or more bytes are all zero with at most 2^-72.
// more are all zero with one of 2^-72 at most.
void check_length(run::Random &random, std::size_t len)
{
	constexpr int draws = 16;
	std::vector<bool> varies(len);
	Bytes first;

	for (int i = 0; i < draws; i++) {
		Guarded buf(len, i < 2 ? 0 : random.below(64));
		cprng_fast(buf.data(), len);
		CHECK(buf.intact());
		if (len >= 9)
			CHECK(!std::all_of(buf.data(), buf.data() + len, [](std::uint8_t b) { return b == 0; }));
		if (i == 0)
			first.assign(buf.data(), buf.data() + len);
		for (std::size_t j = 0; j < len; j++) {
			if (buf.data()[j] != first[j])
				varies[j] = true;
		}
	}
	const auto stuck = std::find(varies.begin(), varies.end(), false);
	INFO("length " << len << ", byte " << stuck - varies.begin());
	CHECK(stuck == varies.end());
}

} // namespace

// Catches an unwritten byte, or one too many.
TEST_CASE("fill: every length from 0 to 1200")
{
	run::Random random("fill");

	for (std::size_t len = 0; len <= 1200; len++)
		check_length(random, len);
}

// Catches the same at the limits of one-time keys.
TEST_CASE("fill: lengths about powers of two, and long ones")
{
	run::Random random("long fills");

	for (std::size_t power = 2048; power <= 65536; power *= 2) {
		for (std::size_t len : { power - 1, power, power + 1, power + 64, power + random.below(power) })
			check_length(random, len);
	}
	for (std::size_t len : { std::size_t{ 1 } << 20, (std::size_t{ 1 } << 22) + 13 })
		check_length(random, len);
}

// Catches a write, or a crash, for no bytes.
TEST_CASE("fill: no bytes")
{
	Guarded buf(16);

	cprng_fast(nullptr, 0);
	cprng_fast(buf.data(), 0);
	CHECK(buf.untouched());
}

// Catches buffered bytes that are served twice.
TEST_CASE("fill: 16 bytes never come twice, whatever the lengths drawn")
{
	// 2^18 values of 128 bits: two are the same with probability 2^-93.
	run::Random random("fill, repeats");
	std::set<Bytes> seen;
	std::size_t values = 0, repeats = 0;
	Bytes buf;

	while (values < run::volume<std::size_t>(1 << 16, 1 << 18)) {
		buf.resize(16 * (1 + random.below(200)));
		cprng_fast(buf.data(), buf.size());
		for (std::size_t i = 0; i < buf.size(); i += 16, values++) {
			if (!seen.emplace(buf.begin() + static_cast<std::ptrdiff_t>(i),
					  buf.begin() + static_cast<std::ptrdiff_t>(i + 16))
				     .second)
				repeats++;
		}
	}
	CHECK(repeats == 0);
}

// Catches a value that is missing or too frequent.
TEST_CASE("fill: every value of a byte is as likely, in short and in long fills")
{
	for (std::size_t len : { 1, 7, 32, 512, 513, 10000, 1000000 }) {
		std::vector<std::uint64_t> counts(256);
		Bytes buf(len);
		for (std::size_t done = 0; done < 400000; done += len) {
			cprng_fast(buf.data(), len);
			for (std::uint8_t b : buf)
				counts[b]++;
		}
		statistics::check_equal(counts, "fill of " + std::to_string(len));
	}
}

// Catches a call that changes errno, and draws that repeat afterwards.
TEST_CASE("fill: errno is preserved, invalidate and reseed leave draws working")
{
	Bytes a(100), b(100), c(100);

	errno = 12345;
	cprng_fast(a.data(), a.size());
	CHECK(errno == 12345);
	cprng_invalidate();
	CHECK(errno == 12345);
	cprng_fast(b.data(), b.size());
	CHECK(errno == 12345);
	CHECK(cprng_reseed() == 0);
	CHECK(errno == 12345);
	cprng_fast(c.data(), c.size());
	CHECK(errno == 12345);
	CHECK(a != b);
	CHECK(b != c);
	CHECK(a != c);
}
