// SPDX-License-Identifier: BSD-2-Clause
// Single choices and UUIDs: probabilities, tables of weights, texts and fields.  stream_vectors.cpp tests which words they take.
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/statistics.hpp"

#include "numbers/single.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace {

using Weights = std::vector<std::uint64_t>;

struct Table {
	explicit Table(const Weights &weights) : entries(weights.size())
	{
		error = cprng_weights_init(&w, entries.data(), weights.data(), weights.size());
	}

	std::vector<cprng_alias> entries;
	cprng_weights w;
	int error;
};

std::uint64_t sum_of(const Weights &weights)
{
	std::uint64_t sum = 0;
	for (std::uint64_t x : weights)
		sum += x;
	return sum;
}

// The units of each entry, in all columns, must be count times its weight.
void check_table(const Weights &weights)
{
	const Table table(weights);
	const std::uint64_t sum = sum_of(weights);
	Weights units(weights.size());

	REQUIRE(table.error == 0);
	for (std::size_t i = 0; i < weights.size(); i++) {
		REQUIRE(table.entries[i].share <= sum);
		units[i] += table.entries[i].share;
		units.at(table.entries[i].other) += sum - table.entries[i].share;
	}
	for (std::size_t i = 0; i < weights.size(); i++)
		REQUIRE(units[i] == weights.size() * weights[i]);
}

cprng_stream fixed_stream()
{
	cprng_stream s;
	REQUIRE(cprng_stream_seed_integer(&s, nullptr, 42) == 0);
	return s;
}

// The probability of a fit as bad as these counts, for choices by these weights.
double p_of_counts(const Weights &counts, const Weights &weights)
{
	const auto total = static_cast<double>(sum_of(counts)), sum = static_cast<double>(sum_of(weights));
	double chi_square = 0;
	std::size_t places = 0;

	for (std::size_t i = 0; i < counts.size(); i++) {
		const double expected = total * static_cast<double>(weights[i]) / sum;
		if (weights[i] == 0) {
			CHECK(counts[i] == 0);
			continue;
		}
		places++;
		chi_square += (static_cast<double>(counts[i]) - expected) *
			      (static_cast<double>(counts[i]) - expected) / expected;
	}
	return places < 2 ? 0.5 : statistics::upper_gamma(static_cast<double>(places - 1) / 2, chi_square / 2);
}

const Weights some_weights[] = {
	{ 1 },
	{ 3, 1 },
	{ 70, 25, 5 },
	{ 0, 5, 0, 3 },
	{ 8, 1, 1, 8, 1, 1, 8 },
	{ 1000000007, 2000000011, 3, 1500000000 },
};

} // namespace

// Catches an entry that has more or fewer units than its weight, in any order of small and large weights.
TEST_CASE("weights: each entry has exactly its share of the table")
{
	run::Random random("weights");

	for (const Weights &weights : some_weights)
		check_table(weights);
	// All with weights of up to 3, which meet all orders of small, large and exact entries.
	for (std::size_t count = 1; count <= 5; count++) {
		for (std::size_t all = 1; all < std::size_t{ 1 } << 2 * count; all++) {
			Weights weights;
			for (std::size_t i = 0; i < count; i++)
				weights.push_back(all >> 2 * i & 3);
			check_table(weights);
		}
	}
	for (int i = 0; i < 300; i++) {
		Weights weights(1 + random.below(300));
		for (std::uint64_t &x : weights)
			x = random.word() >> (18 + random.below(46));
		weights.back() |= 1;
		check_table(weights);
	}
}

// Catches a sum that overflows, and a table without a choice.
TEST_CASE("weights: what is refused, and the largest")
{
	const std::uint64_t one[] = { 1 };
	cprng_alias entry = { 7, 8 };
	cprng_weights w;

	CHECK(Table({ 0, 0 }).error == CPRNG_ERR_ARGUMENT);
	CHECK(Table({ UINT64_MAX }).error == 0);
	CHECK(Table({ UINT64_MAX, 1 }).error == CPRNG_ERR_ARGUMENT);
	CHECK(Table({ UINT64_MAX / 2, 0 }).error == 0);
	CHECK(Table({ UINT64_MAX / 2, 1 }).error == CPRNG_ERR_ARGUMENT);
	CHECK(Table({ 0, UINT64_MAX / 3, 0 }).error == 0);
	CHECK(Table({ 1, UINT64_MAX / 3, 0 }).error == CPRNG_ERR_ARGUMENT);
	check_table({ 0, UINT64_MAX / 3 - 1, 1 });
	CHECK(cprng_weights_init(nullptr, &entry, one, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(cprng_weights_init(&w, nullptr, one, 1) == CPRNG_ERR_ARGUMENT);
	CHECK(w.count == 0);
	CHECK(cprng_weights_init(&w, &entry, nullptr, 1) == CPRNG_ERR_ARGUMENT);
	std::memset(&w, 1, sizeof(w));
	CHECK(cprng_weights_init(&w, &entry, one, 0) == CPRNG_ERR_ARGUMENT);
	CHECK(w.count == 0);
	CHECK(entry.share == 7);
}

// Catches a choice that favours a column or a part of one.
TEST_CASE("weighted: as often as the weights say")
{
	for (const Weights &weights : some_weights) {
		const Table table(weights);
		cprng_stream s = fixed_stream();
		Weights fixed(weights.size()), drawn(weights.size());

		for (int i = 0; i < run::draws(100000); i++) {
			fixed.at(cprng_stream_weighted(&s, &table.w))++;
			drawn.at(cprng_weighted(&table.w))++;
		}
		INFO(weights.size() << " weights");
		CHECK(p_of_counts(fixed, weights) > 1e-10);
		CHECK(p_of_counts(drawn, weights) > 1e-10);
	}
}

// Catches a wrong probability, and an invalid one that is not certain.
TEST_CASE("bernoulli: as often as the probability says")
{
	const double huge = std::numeric_limits<double>::infinity();
	cprng_stream s = fixed_stream();

	for (double p : { 0.5, 0.1, 1 / 3.0, 0.999 }) {
		Weights counts(2), stream_counts(2);
		for (int i = 0; i < run::draws(100000); i++) {
			counts.at(static_cast<std::size_t>(cprng_bernoulli(p)))++;
			stream_counts.at(static_cast<std::size_t>(cprng_stream_bernoulli(&s, p)))++;
		}
		const Weights weights = { static_cast<std::uint64_t>((1 - p) * 0x1p60),
					  static_cast<std::uint64_t>(p * 0x1p60) };
		INFO(p);
		CHECK(p_of_counts(counts, weights) > 1e-10);
		CHECK(p_of_counts(stream_counts, weights) > 1e-10);
	}
	Weights counts(2);
	for (int i = 0; i < run::draws(100000); i++)
		counts.at(static_cast<std::size_t>(cprng_bernoulli_ratio(2, 7)))++;
	CHECK(p_of_counts(counts, { 5, 2 }) > 1e-10);
	for (double p : { 0.0, -0.0, -1.0, -huge, std::nan(""), -std::nan("") }) {
		CHECK(cprng_bernoulli(p) == 0);
		CHECK(cprng_stream_bernoulli(&s, p) == 0);
		// A NaN's digits may be those of one half.
		for (int i = 0; i < 64; i++) {
			int tried = 2;
			CHECK(cprng_stream_try_bernoulli(&s, &tried, p) == 0);
			CHECK(tried == 0);
		}
	}
	for (double p : { 1.0, 1.5, huge }) {
		CHECK(cprng_bernoulli(p) == 1);
		CHECK(cprng_stream_bernoulli(&s, p) == 1);
	}
	CHECK(cprng_bernoulli_ratio(0, 0) == 0);
	CHECK(cprng_bernoulli_ratio(1, 0) == 1);
	CHECK(cprng_bernoulli_ratio(0, UINT64_MAX) == 0);
	CHECK(cprng_bernoulli_ratio(UINT64_MAX, UINT64_MAX) == 1);
}

// Catches a symbol that is too frequent, a length that is wrong where texts are made in pieces, and a missing NUL.
TEST_CASE("text: symbols are equally likely, and nothing else is written")
{
	const std::string all = [] {
		std::string v;
		for (int i = 0; i < 256; i++)
			v += static_cast<char>(i);
		return v;
	}();

	for (std::size_t symbols : { 1, 2, 3, 10, 26, 64, 85, 128, 129, 200, 255, 256 }) {
		std::vector<std::uint64_t> places(symbols);
		for (std::size_t length : { 0, 1, 7, 64, 65, 8191, 8192, 8193, 100000, 150000 }) {
			Guarded v(length + 1);
			auto *text = reinterpret_cast<char *>(v.data());
			REQUIRE(cprng_text(text, length, all.data(), symbols) == 0);
			CHECK(v.intact());
			CHECK(text[length] == '\0');
			for (std::size_t i = 0; i < length; i++)
				places.at(v.data()[i])++;
		}
		statistics::check_equal(places, "text of " + std::to_string(symbols) + " symbols");
	}
	// The end of an array is not the end of the words.
	cprng_stream s = fixed_stream(), t = s;
	std::string text(5001, 'x'), wanted;
	REQUIRE(cprng_stream_text(&s, text.data(), 5000, all.data(), 200) == 0);
	while (wanted.size() < 5000) {
		const unsigned int m = cprng_stream_u8(&t) * 200u;
		if ((m & 255) >= 56)
			wanted += all[m >> 8];
	}
	CHECK(text == wanted + '\0');
	CHECK(cprng_stream_tell(&s) == cprng_stream_tell(&t));
}

// Catches arguments that are accepted, and a text that is written although it is refused.
TEST_CASE("text: what is refused")
{
	char out[4] = "xyz";
	cprng_stream s = fixed_stream();

	const auto check = [&](int error) {
		CHECK(error == CPRNG_ERR_ARGUMENT);
		CHECK(std::string(out) == "xyz");
	};
	check(cprng_text(nullptr, 0, "ab", 2));
	check(cprng_text(out, 3, nullptr, 2));
	check(cprng_text(out, 3, "ab", 0));
	check(cprng_text(out, 3, "ab", 257));
	check(cprng_text(out, SIZE_MAX, "ab", 2));
	check(cprng_text(out, SIZE_MAX - 1, "ab", 2));
	check(cprng_stream_text(nullptr, out, 3, "ab", 2));
	check(cprng_stream_text(&s, nullptr, 3, "ab", 2));
	check(cprng_stream_text(&s, out, 3, "ab", 257));
	check(cprng_stream_uuid4(nullptr, reinterpret_cast<std::uint8_t *>(out)));
	check(cprng_stream_uuid4(&s, nullptr));
	check(cprng_stream_uuid7(nullptr, 0, reinterpret_cast<std::uint8_t *>(out)));
	check(cprng_stream_uuid7(&s, std::uint64_t{ 1 } << 48, reinterpret_cast<std::uint8_t *>(out)));
	CHECK(cprng_stream_tell(&s) == 0);
}

// Catches version or variant bits that are random, other bits that are fixed, and two equal UUIDs.
TEST_CASE("uuid: the fields of versions 4 and 7")
{
	std::array<std::uint8_t, 16> ones{}, zeros{};
	std::set<std::array<std::uint8_t, 16>> seen;

	for (int i = 0; i < 1000; i++) {
		std::array<std::uint8_t, 16> uuid;
		cprng_uuid4(uuid.data());
		REQUIRE((uuid[6] >> 4 == 4));
		REQUIRE((uuid[8] >> 6 == 2));
		for (std::size_t j = 0; j < 16; j++) {
			ones[j] |= uuid[j];
			zeros[j] |= static_cast<std::uint8_t>(~uuid[j]);
		}
		REQUIRE(seen.insert(uuid).second);
	}
	for (std::size_t j = 0; j < 16; j++) {
		CHECK(ones[j] == (j == 6 ? 0x4f : j == 8 ? 0xbf : 0xff));
		CHECK(zeros[j] == (j == 6 ? 0xbf : j == 8 ? 0x7f : 0xff));
	}
	std::array<std::uint8_t, 16> last{}, uuid;
	ones = {};
	for (int i = 0; i < 10000; i++, last = uuid) {
		REQUIRE(cprng_uuid7(uuid.data()) == 0);
		REQUIRE(uuid > last);
		REQUIRE((uuid[6] >> 4 == 7));
		REQUIRE((uuid[8] >> 6 == 2));
		for (std::size_t j = 8; j < 16; j++)
			ones[j] |= static_cast<std::uint8_t>(uuid[j] ^ last[j]);
	}
	for (std::size_t j = 8; j < 16; j++)
		CHECK((ones[j] | (j == 8 ? 0xc0 : 0)) == 0xff);
}

// Catches a counter that overflows into the time or begins too high, and an order that a clock breaks.
TEST_CASE("uuid: stamps go on, whatever the clock does")
{
	run::Random random("stamps");
	std::uint64_t stamp = 0, now = 1000;

	CHECK(cprng_uuid_next_stamp(0, 5, UINT64_MAX) == (5 << 12 | 0x7ff));
	CHECK(cprng_uuid_next_stamp(5 << 12 | 3, 5, 0x123) == (5 << 12 | 4));
	CHECK(cprng_uuid_next_stamp(5 << 12 | 3, 4, 0x123) == (5 << 12 | 4));
	CHECK(cprng_uuid_next_stamp(5 << 12 | 0xfff, 5, 0x923) == (6 << 12 | 0x123));
	CHECK(cprng_uuid_next_stamp(5 << 12 | 0xfff, 6, 0x123) == (6 << 12 | 0x123));
	for (int i = 0; i < 20000; i++) {
		now = i == 10000 ? 10 : i == 15000 ? 100000 : now + random.below(2);
		const std::uint64_t next = cprng_uuid_next_stamp(stamp, now, random.word());
		REQUIRE(next > stamp);
		REQUIRE((next >> 12 >= now));
		stamp = next;
	}
}

// Catches digits in another order, and hyphens in other places.
TEST_CASE("uuid: text")
{
	const std::uint8_t uuid[16] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
					0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10 };
	char text[38] = "                                    x";

	text[37] = 'y';
	cprng_uuid_text(text, uuid);
	CHECK(std::string(text) == "01234567-89ab-cdef-fedc-ba9876543210");
	CHECK(text[37] == 'y');
}
