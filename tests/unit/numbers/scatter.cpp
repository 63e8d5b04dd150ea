// SPDX-License-Identifier: BSD-2-Clause
// Arrays divided into random buckets in place.
#include "doctest/doctest.h"

#include "../../support/buffers.hpp"
#include "../../support/internals.hpp"
#include "../../support/run.hpp"
#include "../../support/statistics.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <numeric>
#include <vector>

namespace {

const cprng_atomic64 generation = 5;

// As cprng_shuffle() scatters, with the test's own random bytes.  Return the begins of the buckets, and the end.
std::vector<std::size_t> scattered(run::Random &random, void *base, std::size_t count, std::size_t size)
{
	struct cprng_scatter s;
	std::array<std::uint8_t, 7> bytes{};
	const auto fill = [&] { std::generate(bytes.begin(), bytes.end(), [&] { return random.word() >> 40; }); };

	cprng_scatter_begin(&s, base, count, size);
	do
		fill();
	while (cprng_scatter_place(&s, bytes.data(), bytes.size(), &generation, 5));
	const std::size_t left = cprng_scatter_left(&s);
	REQUIRE(left <= count);
	for (std::size_t i = 0, step; i < left; i += step) {
		fill();
		step = std::min(left - i, bytes.size());
		REQUIRE(cprng_scatter_count(&s, bytes.data(), step, &generation, 5) == step);
	}
	cprng_scatter_resize(&s);
	REQUIRE(cprng_scatter_left(&s) == left);
	for (std::size_t i = left; i > 1; i--) {
		std::uint64_t index = random.below(i);
		REQUIRE(cprng_scatter_exchange(&s, i, &index, 1, &generation, 5) == 1);
		REQUIRE(index == 0);
	}
	return { std::begin(s.begin), std::end(s.begin) };
}

} // namespace

// Catches an element that is lost, duplicated or torn, a write outside, and buckets that do not cover the array.
TEST_CASE("scatter: keeps every element whole, and writes nothing else")
{
	run::Random random("scatter: whole");

	for (const std::size_t size : { 1, 2, 4, 8, 12, 16, 24, 100 }) {
		for (const std::size_t count : { 1, 2, 15, 16, 17, 31, 100, 255, 1000, 20000 }) {
			const std::size_t values = std::min<std::size_t>(count, size == 1 ? 251 : 65536);
			Guarded v(count * size, random.below(64));
			for (std::size_t i = 0; i < count * size; i++)
				v.data()[i] =
					static_cast<std::uint8_t>(i % size == 0 ? i / size % values :
								  i % size == 1 ? i / size % values >> 8 :
										  (i / size % values) * 7 + i % size);
			const std::vector<std::size_t> begin = scattered(random, v.data(), count, size);
			INFO(count << " elements of " << size);
			CHECK(v.intact());
			CHECK(begin.front() == 0);
			CHECK(begin.back() == count);
			CHECK(std::is_sorted(begin.begin(), begin.end()));
			std::map<std::size_t, std::size_t> counts;
			bool whole = true;
			for (std::size_t i = 0; i < count; i++) {
				const std::uint8_t *e = v.data() + i * size;
				const std::size_t value = e[0] + (size > 1 ? std::size_t{ e[1] } << 8 : 0);
				counts[value]++;
				for (std::size_t j = 2; j < size; j++)
					whole &= e[j] == static_cast<std::uint8_t>(value * 7 + j);
			}
			CHECK(whole);
			for (const auto &[value, n] : counts)
				REQUIRE(n == count / values + (value < count % values ? 1 : 0));
		}
	}
}

// Catches a bucket that is more likely for some elements, and buckets that depend on each other.
TEST_CASE("scatter: each element is as likely in each bucket, and pairs are independent")
{
	run::Random random("scatter: buckets");

	for (const std::size_t count : { 20, 48, 400 }) {
		std::vector<std::uint64_t> buckets(count * CPRNG_SCATTER_BUCKETS),
			pairs(CPRNG_SCATTER_BUCKETS * CPRNG_SCATTER_BUCKETS);
		for (int i = 0; i < run::draws(static_cast<int>(800000 / count)); i++) {
			std::vector<std::uint32_t> v(count), of(count);
			std::iota(v.begin(), v.end(), 0);
			const std::vector<std::size_t> begin = scattered(random, v.data(), count, sizeof(v[0]));
			for (std::size_t b = 0; b < CPRNG_SCATTER_BUCKETS; b++) {
				for (std::size_t j = begin[b]; j < begin[b + 1]; j++) {
					buckets[v[j] * CPRNG_SCATTER_BUCKETS + b]++;
					of[v[j]] = static_cast<std::uint32_t>(b);
				}
			}
			// The first of a segment and of the next one; the last two.
			pairs[of[0] * CPRNG_SCATTER_BUCKETS + of[count / CPRNG_SCATTER_BUCKETS + 1]]++;
			pairs[of[count - 1] * CPRNG_SCATTER_BUCKETS + of[count - 2]]++;
		}
		statistics::check_equal(buckets, "scatter, buckets of " + std::to_string(count),
					count * (CPRNG_SCATTER_BUCKETS - 1));
		statistics::check_equal(pairs, "scatter, pairs of " + std::to_string(count));
	}
}

// Catches orders that are not as likely, when the buckets are shuffled too.
TEST_CASE("scatter: all 120 orders of 5 of the elements are as likely")
{
	run::Random random("scatter: orders");
	const std::array<std::uint32_t, 5> some = { 0, 3, 17, 40, 47 };
	std::map<std::vector<std::uint32_t>, std::size_t> index;
	std::vector<std::uint64_t> counts(120);

	for (int i = 0; i < run::draws(24000); i++) {
		std::vector<std::uint32_t> v(48), order;
		std::iota(v.begin(), v.end(), 0);
		const std::vector<std::size_t> begin = scattered(random, v.data(), v.size(), sizeof(v[0]));
		for (std::size_t b = 0; b < CPRNG_SCATTER_BUCKETS; b++) {
			for (std::size_t j = begin[b + 1]; j > begin[b] + 1; j--)
				std::swap(v[j - 1], v[begin[b] + random.below(j - begin[b])]);
		}
		std::copy_if(v.begin(), v.end(), std::back_inserter(order),
			     [&](std::uint32_t e) { return std::find(some.begin(), some.end(), e) != some.end(); });
		counts.at(index.emplace(order, index.size()).first->second)++;
	}
	statistics::check_equal(counts, "scatter, orders");
}

// Catches choices that survive a change of the generation, and random bytes or indexes that are not erased.
TEST_CASE("scatter: choices from before an invalidation are not used, used ones are erased")
{
	std::vector<std::uint32_t> v(64), before;
	std::iota(v.begin(), v.end(), 0);
	before = v;
	struct cprng_scatter s;
	std::array<std::uint8_t, 64> bytes{};
	bytes.fill(1);

	cprng_scatter_begin(&s, v.data(), v.size(), sizeof(v[0]));
	CHECK(cprng_scatter_place(&s, bytes.data(), bytes.size(), &generation, 6));
	CHECK(v == before);
	CHECK(cprng_scatter_left(&s) == 64);
	CHECK(std::count(bytes.begin(), bytes.end(), 1) == 64);
	cprng_scatter_begin(&s, v.data(), v.size(), sizeof(v[0]));
	bytes.fill(1);
	// The fourth byte fills segment 1.
	CHECK(!cprng_scatter_place(&s, bytes.data(), bytes.size(), &generation, 5));
	REQUIRE(cprng_scatter_left(&s) == 60);
	CHECK(std::count(bytes.begin(), bytes.end(), 1) == 60);
	CHECK(std::count(bytes.begin(), bytes.begin() + 4, 0) == 4);
	REQUIRE(cprng_scatter_count(&s, bytes.data() + 4, 60, &generation, 6) == 0);
	CHECK(std::count(bytes.begin(), bytes.end(), 1) == 60);
	CHECK(cprng_scatter_count(&s, bytes.data() + 4, 60, &generation, 5) == 60);
	CHECK(std::count(bytes.begin(), bytes.end(), 0) == 64);
	cprng_scatter_resize(&s);
	std::uint64_t index[2] = { 3, 4 };
	before = v;
	CHECK(cprng_scatter_exchange(&s, 60, index, 2, &generation, 6) == 0);
	CHECK(v == before);
	CHECK(index[0] == 3);
	CHECK(cprng_scatter_exchange(&s, 60, index, 2, &generation, 5) == 2);
	CHECK(index[0] == 0);
	CHECK(index[1] == 0);
}
