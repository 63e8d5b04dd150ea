// SPDX-License-Identifier: BSD-2-Clause
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/scripted_draws.hpp"
#include "../../support/statistics.hpp"

#include <map>
#include <set>

namespace {

// count elements of size bytes: the first bytes identify an element, and the rest repeat a byte derived from them.
Bytes elements(std::size_t count, std::size_t size)
{
	Bytes v;

	for (std::size_t i = 0; i < count; i++) {
		for (std::size_t j = 0; j < size; j++)
			v.push_back(static_cast<std::uint8_t>(j < 2 ? i >> 8 * j : i * 7 + j));
	}
	return v;
}

std::vector<Bytes> sorted(const std::uint8_t *p, std::size_t count, std::size_t size)
{
	std::vector<Bytes> v;

	for (std::size_t i = 0; i < count; i++)
		v.emplace_back(p + i * size, p + (i + 1) * size);
	std::sort(v.begin(), v.end());
	return v;
}

} // namespace

// Catches an element that is lost, duplicated or torn.
TEST_CASE("shuffle: keeps every element whole, and writes nothing else")
{
	run::Random random("shuffle");

	for (std::size_t size : { 1, 2, 3, 4, 7, 8, 12, 16, 24, 64, 100, 257, 5000 }) {
		for (std::size_t count : { 0, 1, 2, 3, 5, 17, 52, 200 }) {
			const Bytes before = elements(count, size);
			Guarded v(count * size, random.below(64));
			std::copy(before.begin(), before.end(), v.data());
			cprng_shuffle(v.data(), count, size);
			INFO(count << " elements of " << size);
			CHECK(v.intact());
			CHECK(sorted(v.data(), count, size) == sorted(before.data(), count, size));
			if (count == 200) // the old order has probability 1/200!
				CHECK(std::memcmp(v.data(), before.data(), before.size()) != 0);
		}
	}
}

// Catches a draw or a write for one element or none.
TEST_CASE("shuffle: nothing to do")
{
	Guarded v(64);

	cprng_shuffle(v.data(), 0, 8);
	cprng_shuffle(v.data(), 1, 64);
	cprng_shuffle(v.data(), 8, 0);
	cprng_shuffle(v.data(), SIZE_MAX, 0);
	cprng_shuffle(nullptr, 0, 8);
	cprng_shuffle(nullptr, 0, 0);
	cprng_shuffle(nullptr, 8, 0);
	CHECK(v.untouched());
}

// Catches two sequences of choices that give one order, which is a bias.
TEST_CASE("shuffle: each way to choose gives another order")
{
	// Choose one of 4, of 3, of 2 in turn: each draw is the middle of the interval that uniform32 maps to the choice.
	std::set<std::vector<int>> orders;
	std::size_t ways = 0;

	for (std::uint64_t one = 0; one < 4; one++) {
		for (std::uint64_t two = 0; two < 3; two++) {
			for (std::uint64_t three = 0; three < 2; three++, ways++) {
				auto draw = [](std::uint64_t choice, std::uint64_t of) {
					return ((2 * choice + 1) << 31) / of;
				};
				std::vector<int> v = { 1, 2, 3, 4 };
				scripted::set({ draw(one, 4), draw(two, 3), draw(three, 2) });
				scripted_shuffle(v.data(), v.size(), sizeof(v[0]));
				CHECK(scripted::used() == 3);
				orders.insert(v);
			}
		}
	}
	CHECK(ways == 24);
	CHECK(orders.size() == 24);
}

// Catches the usual errors of Fisher-Yates.
TEST_CASE("shuffle: all 24 orders of 4 elements are as likely")
{
	for (std::size_t size : { 1, 3, 4, 8, 100 }) {
		std::map<Bytes, std::size_t> index;
		std::vector<std::uint64_t> counts(24);
		for (int i = 0; i < run::draws(48000); i++) {
			Bytes v = elements(4, size);
			cprng_shuffle(v.data(), 4, size);
			Bytes order;
			for (std::size_t j = 0; j < 4; j++)
				order.push_back(v[j * size]);
			counts.at(index.emplace(order, index.size()).first->second)++;
		}
		statistics::check_equal(counts, "shuffle, orders of 4 elements of " + std::to_string(size));
	}
}

// Catches a truncated index.
TEST_CASE("shuffle: large arrays are mixed throughout")
{
	constexpr std::size_t count = 200000, parts = 10;
	std::vector<std::uint64_t> v(count), moves(parts * parts);

	for (std::size_t j = 0; j < count; j++)
		v[j] = j;
	cprng_shuffle(v.data(), count, sizeof(v[0]));
	std::vector<bool> seen(count);
	for (std::size_t j = 0; j < count; j++) {
		REQUIRE(v[j] < count);
		REQUIRE(!seen[v[j]]);
		seen[v[j]] = true;
		moves[v[j] / (count / parts) * parts + j / (count / parts)]++;
	}
	// Row and column sums are fixed, which reduces the degrees of freedom.
	statistics::check_equal(moves, "shuffle, from where to where", (parts - 1) * (parts - 1));
}
