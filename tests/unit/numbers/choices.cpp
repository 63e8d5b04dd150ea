// SPDX-License-Identifier: BSD-2-Clause
#include "doctest/doctest.h"

#include "../../support/engines.hpp"
#include "../../support/internals.hpp"
#include "../../support/skips.hpp"
#include "../../support/scripted_draws.hpp"
#include "../../support/statistics.hpp"

#include <array>
#include <map>
#include <set>

namespace {

// `count` elements of `size` bytes.  The first bytes identify an element; the others repeat a byte derived from them.
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

// Catches a draw or a write when there is one element or none.
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

// Catches two sequences of choices that give the same order, which is a bias.
TEST_CASE("shuffle: each way to choose gives another order")
{
	// A word in the middle of the interval of words that give this choice among so many.
	const auto middle = [](std::uint64_t choice, std::uint64_t of) {
		return (2 * choice + 1) * ((std::uint64_t{ 1 } << 63) / of);
	};
	// One word gives choices among 4, 3 and 2; unbuffered, each choice takes a word of its own.
	const bool at_once = cprng_has_buffers(cprng_process());
	std::set<std::vector<int>> orders;

	for (std::uint64_t way = 0; way < 24; way++) {
		std::vector<int> v = { 1, 2, 3, 4 };
		if (at_once)
			scripted::set({ middle(way, 24) });
		else
			scripted::set({ middle(way / 6, 4), middle(way / 2 % 3, 3), middle(way % 2, 2) });
		scripted_shuffle(v.data(), v.size(), sizeof(v[0]));
		CHECK(scripted::used() == (at_once ? 1 : 3));
		orders.insert(v);
	}
	CHECK(orders.size() == 24);
}

// Catches a word's indexes that are not the digits of a number below the product of their bounds, a word that is rejected or
// accepted wrongly, and a word that is not erased.
TEST_CASE("shuffle: the indexes of a word")
{
	run::Random random("indexes of a word");
	const auto power = [](unsigned int n) { return std::uint64_t{ 1 } << n; };

	for (std::uint64_t bound :
	     { power(63) + 1, power(40) + 9, power(28) + 1, power(28), power(18) + 1, power(18), power(14) + 1,
	       power(14), power(11) + 1, power(11), power(9) + 1, power(9), std::uint64_t{ 7 }, std::uint64_t{ 6 },
	       std::uint64_t{ 5 }, std::uint64_t{ 4 }, std::uint64_t{ 3 }, std::uint64_t{ 2 } }) {
		const unsigned int per_word = cprng_order_per_word(bound);
		const auto indexes = static_cast<unsigned int>(std::min<std::uint64_t>(per_word, bound - 1));
		std::uint64_t below = 1;
		INFO(bound << ", " << indexes << " indexes");
		for (unsigned int i = 0; i < indexes; i++) {
			const cprng_uint128 product = cprng_mul64(below, bound - i);
			REQUIRE(product.hi == 0);
			below = product.lo;
		}
		const std::uint64_t refused = -below % below;
		for (int i = 0; i < 2000; i++) {
			std::uint64_t word = random.word();
			// Half of the words are the first of their interval, where words are rejected.
			if (i % 2 == 0)
				word = word - cprng_mul64(word, below).lo / below + random.below(2);
			const cprng_uint128 whole = cprng_mul64(word, below);
			std::uint64_t digits = whole.hi;
			std::vector<std::uint64_t> expected(indexes), block(CPRNG_ORDER_PER_WORD_MAX);
			for (unsigned int j = indexes; j-- > 0; digits /= bound - j)
				expected[j] = digits % (bound - j);
			if (whole.lo < refused)
				expected.clear();
			*cprng_order_words_of(block.data(), 1, per_word) = word;
			block.resize(cprng_order_choose(block.data(), 1, bound, per_word));
			REQUIRE(block == expected);
		}
	}
}

namespace {

// The indexes of a block's words: a group has the first digits of its words, then the next ones, and loses all with one word.
std::vector<std::uint64_t> indexes_of(const std::vector<std::uint64_t> &words, std::uint64_t bound,
				      unsigned int per_word)
{
	std::vector<std::uint64_t> made;
	std::size_t n = 0;

	for (std::size_t i = 0; i < words.size(); i += n) {
		const std::uint64_t rest = bound - made.size();
		const bool whole = per_word > 1 && words.size() - i >= 8 && rest > std::uint64_t{ 8 } * per_word;
		const std::size_t indexes = std::min<std::uint64_t>(per_word, rest - 1);
		n = whole ? 8 : 1;
		std::vector<std::uint64_t> part(n * indexes);
		bool refused = false;
		for (std::size_t j = 0; j < n; j++) {
			std::uint64_t product = 1;
			for (std::size_t k = 0; k < indexes; k++)
				product *= rest - j - k * n;
			const cprng_uint128 number = cprng_mul64(words[i + j], product);
			std::uint64_t digits = number.hi;
			for (std::size_t k = indexes; k-- > 0; digits /= rest - j - k * n)
				part[k * n + j] = digits % (rest - j - k * n);
			refused |= number.lo < -product % product;
		}
		if (!refused)
			made.insert(made.end(), part.begin(), part.end());
	}
	return made;
}

} // namespace

// Catches other indexes of vectors, a word that is overwritten before it is used, one that is rejected alone or wrongly, and one
// that is not erased.
TEST_CASE("shuffle: a block has the indexes of its words")
{
	run::Random random("blocks of words");
	constexpr std::uint64_t any = UINT64_C(1) << 32;

	for (const std::uint32_t mask :
	     { ~std::uint32_t{ 0 }, ~std::uint32_t{ CPRNG_CPU_AVX512 }, std::uint32_t{ 0 } }) {
		cprng_cpu_set_ceiling(run::ceiling & mask);
		for (std::uint64_t count : { 2, 3, 7, 48, 49, 50, 52, 97, 500, 512, 2000, 10000, 1 << 18, 300000,
					     1 << 25, (1 << 28) - 3, (1 << 28) + 1 }) {
			const unsigned int per_word = cprng_order_per_word(count);
			const std::size_t words = cprng_order_words(count, per_word);
			// At a position of a group: 0, which is rejected unless the product of bounds is a power of two, or
			// 1, which is not, though its low half is small.
			for (std::size_t kind = 0; kind < 24; kind++) {
				std::vector<std::uint64_t> block(CPRNG_ORDER_BLOCK), given(words);
				for (std::size_t i = 0; i < words; i++)
					given[i] = i % 24 == kind % 16 ? kind / 16 : random.word() | any;
				std::copy(given.begin(), given.end(),
					  cprng_order_words_of(block.data(), words, per_word));
				const std::size_t made = cprng_order_choose(block.data(), words, count, per_word);
				const std::vector<std::uint64_t> expected = indexes_of(given, count, per_word);
				INFO(count << " elements, " << words << " words, kind " << kind << ", features without "
					   << ~mask);
				REQUIRE(made == expected.size());
				CHECK(std::equal(expected.begin(), expected.end(), block.begin()));
				for (const std::uint64_t word : given)
					CHECK((word < any ||
					       std::find(block.begin(), block.end(), word) == block.end()));
			}
		}
	}
	cprng_cpu_set_ceiling(run::ceiling);
}

// Catches vectors that leave all groups to single words.
TEST_CASE("shuffle: vectors make the indexes of whole groups")
{
	for (const cprng_numbers_backend *b = cprng_numbers_backends; b->name != nullptr; b++) {
		INFO(b->name);
		CHECK((b->indexes != nullptr) == (b->needs != 0));
		if (b->indexes == nullptr || !cprng_numbers_usable(b))
			continue;
		for (std::size_t words : { 1, 7, 8, 15, 16 }) {
			std::vector<std::uint64_t> block(CPRNG_ORDER_BLOCK);
			std::uint64_t *const first = cprng_order_words_of(block.data(), words, 2);
			std::fill_n(first, words, UINT64_MAX / 3 * 2);
			CHECK(b->indexes(block.data(), first, words, 1000000, 2, 1 << 8) == words / 8 * 8);
			CHECK(block[0] == (words < 8 ? 0 : 666666));
		}
	}
}

// Catches a block without room for its words or indexes, and a superfluous word.
TEST_CASE("shuffle: the words of a block")
{
	for (unsigned int shift = 1; shift < 64; shift++) {
		const std::uint64_t count = std::uint64_t{ 1 } << shift;
		const unsigned int per_word = cprng_order_per_word(count);
		const std::size_t words = cprng_order_words(count, per_word);
		CHECK(per_word >= 1);
		CHECK(per_word <= CPRNG_ORDER_PER_WORD_MAX);
		CHECK(words * per_word <= CPRNG_ORDER_BLOCK);
		CHECK((words - 1) * per_word < count - 1);
	}
}

// Catches choices from before a fork or an invalidation that are used afterwards.
TEST_CASE("shuffle: words from before an invalidation choose nothing")
{
	SKIP_IF(!cprng_has_buffers(cprng_process()), "no buffers");
	const std::uint64_t before = 0x123456789abcdef, after = 0xfedcba987654321;
	std::vector<int> v = { 1, 2, 3, 4 }, expected = v;

	scripted::set({ after });
	scripted_shuffle(expected.data(), expected.size(), sizeof(expected[0]));
	REQUIRE(scripted::used() == 1);
	scripted::set({ before, after });
	scripted::after_fill(cprng_invalidate);
	scripted_shuffle(v.data(), v.size(), sizeof(v[0]));
	CHECK(scripted::used() == 2);
	CHECK(v == expected);
}

// Catches the usual errors in implementations of Fisher-Yates.
TEST_CASE("shuffle: all 120 orders of 5 elements are as likely")
{
	for (std::size_t size : { 1, 2, 3, 4, 8, 16, 24, 100 }) {
		std::map<Bytes, std::size_t> index;
		std::vector<std::uint64_t> counts(120);
		for (int i = 0; i < run::draws(48000); i++) {
			Bytes v = elements(5, size);
			cprng_shuffle(v.data(), 5, size);
			Bytes order;
			for (std::size_t j = 0; j < 5; j++)
				order.push_back(v[j * size]);
			counts.at(index.emplace(order, index.size()).first->second)++;
		}
		statistics::check_equal(counts, "shuffle, orders of 5 elements of " + std::to_string(size));
	}
}

// Catches an integer that is lost, stays a duplicate, or is out of order, and a digit that is never sorted.
TEST_CASE("sample: sorts and drops duplicates, whatever the integers are")
{
	run::Random random("sample: sort");

	for (const std::uint64_t n : { UINT64_C(1), UINT64_C(2), UINT64_C(63), UINT64_C(64), UINT64_C(65),
				       UINT64_C(1000), UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX }) {
		for (const std::size_t count : { 0, 1, 2, 16, 17, 24, 25, 100, 1000, 3000 }) {
			// Random ones; of few values; equal but for the lowest or the highest digit; and in descending order.
			for (int kind = 0; kind < 5; kind++) {
				std::vector<std::uint64_t> v(count);
				for (std::size_t i = 0; i < count; i++) {
					const std::uint64_t any = random.below(n);
					v[i] = kind == 0 ? any :
					       kind == 1 ? n - 1 - any % std::min<std::uint64_t>(n, 3) :
					       kind == 2 ? n - 1 - any % std::min<std::uint64_t>(n, 64) :
					       kind == 3 ? any / (n / 64 + 1) * (n / 64 + 1) :
							   n - 1 - (n - 1) / (count + 1) * i;
				}
				const std::size_t before = count == 0 ? 0 : random.below(count + 1);
				std::sort(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(before));
				std::vector<std::uint64_t> want = v;
				std::sort(want.begin(), want.end());
				want.erase(std::unique(want.begin(), want.end()), want.end());
				v.resize(count + 2, 42);
				INFO(count << " below " << n << ", kind " << kind << ", sorted: " << before);
				REQUIRE(cprng_sort_distinct(v.data(), before, count, n) == want.size());
				CHECK(std::equal(want.begin(), want.end(), v.begin()));
				CHECK(v[count] == 42);
				CHECK(v[count + 1] == 42);
			}
		}
	}
}

// Catches a block that takes other words than single numbers do, at the change of their size too, or one word too many.
TEST_CASE("shuffle: a word for each index, as single numbers take them")
{
	const Bytes key(32, 0x52);
	const std::uint64_t limit = UINT64_C(1) << 32;

	for (const std::uint64_t bound :
	     { UINT64_C(2), UINT64_C(52), UINT64_C(85), UINT64_C(86), UINT64_C(1000), limit / 2 + 9, limit - 1, limit,
	       limit + 30, limit + 200, UINT64_C(3) << 62 }) {
		cprng_stream s, t;
		REQUIRE(cprng_stream_init(&s, "chacha8", key.data(), key.size(), nullptr, 0) == 0);
		t = s;
		std::uint64_t below = bound;
		for (int i = 0; i < 40 && below > 1; i++) {
			std::array<std::uint64_t, CPRNG_ORDER_BLOCK> block{};
			const std::size_t words = cprng_order_single_words(below, below - 1),
					  size = cprng_order_single_size(below);
			REQUIRE(words >= 1);
			REQUIRE(words <= block.size());
			REQUIRE(words < below);
			REQUIRE(size == cprng_order_single_size(below - words + 1));
			REQUIRE(cprng_stream_read(&s, cprng_order_single_words_of(block.data(), words, below),
						  words * size) == 0);
			const std::size_t made = cprng_order_choose_singly(block.data(), words, below);
			REQUIRE(made <= words);
			for (std::size_t j = 0; j < made; j++, below--)
				REQUIRE(block.at(j) == cprng_stream_uniform64(&t, below));
			// Words that were refused at the end of the block belong to the next index.
			INFO(bound << ", " << below);
			REQUIRE(cprng_stream_tell(&t) <= cprng_stream_tell(&s));
			REQUIRE((made == 0 || cprng_stream_tell(&s) - cprng_stream_tell(&t) < words * size));
		}
	}
}

// Catches integers or indexes from before a fork or an invalidation that are used afterwards.
TEST_CASE("sample: words from before an invalidation select nothing")
{
	SKIP_IF(!cprng_has_buffers(cprng_process()), "no buffers");
	run::Random random("sample: old words");

	// By a shuffle of all, and by a scan.
	for (const auto &chosen : { std::pair<std::size_t, std::uint64_t>{ 4, 5 }, { 20000, 70000 } }) {
		const auto &[k, n] = chosen;
		const std::size_t first = cprng_order_words(n, cprng_order_per_word(n));
		std::vector<std::uint64_t> words(n), out(k), expected(k);
		std::generate(words.begin(), words.end(), [&] { return random.word(); });
		scripted::set(words);
		REQUIRE(scripted_sample(expected.data(), k, n) == 0);
		const std::size_t used = scripted::used();
		REQUIRE(used < words.size());
		words.insert(words.begin(), first, UINT64_C(0x123456789abcdef));
		scripted::set(words);
		scripted::after_fill(cprng_invalidate);
		REQUIRE(scripted_sample(out.data(), k, n) == 0);
		INFO(chosen.first << " of " << chosen.second);
		CHECK(scripted::used() == first + used);
		CHECK(out == expected);
	}
}

// Catches an integer that is lost, repeated or out of its order, a table that stays or is too small, and an integer from before an
// invalidation.
TEST_CASE("sample: the first distinct integers, in order")
{
	run::Random random("sample: table");
	const cprng_atomic64 generation = 5;

	for (const std::size_t k : { 1, 2, 3, 7, 64, 1000, 20000 }) {
		for (const std::uint64_t n : { std::uint64_t{ k }, std::uint64_t{ k } + 1, 2 * std::uint64_t{ k },
					       std::uint64_t{ 1 } << 20, std::uint64_t{ 1 } << 34 }) {
			std::vector<std::uint64_t> out(k + 1, 42), want, more;
			std::set<std::uint64_t> seen;
			std::generate_n(out.begin(), k, [&] { return random.below(n); });
			const auto take = [&](std::uint64_t value) {
				if (want.size() < k && seen.insert(value).second)
					want.push_back(value);
			};
			std::for_each_n(out.begin(), k, take);
			const std::size_t before = want.size();
			cprng_distinct set;
			INFO(k << " below " << n);
			REQUIRE(cprng_distinct_begin(&set, out.data(), k, n));
			cprng_distinct_take(&set, &generation, 6);
			REQUIRE(set.have == 0);
			cprng_distinct_take(&set, &generation, 5);
			REQUIRE(set.have == before);
			// The rest from 0 on.
			for (std::uint64_t value = 0; set.have < k; value++) {
				REQUIRE(value < n);
				cprng_distinct_add(&set, value);
				take(value);
			}
			cprng_distinct_end(&set);
			want.push_back(42);
			CHECK(out == want);
		}
	}
	std::uint64_t none = 0;
	cprng_distinct set;
	CHECK(cprng_distinct_begin(&set, &none, 1, UINT64_C(1) << 62));
	CHECK(!cprng_distinct_begin(&set, &none, 1, (UINT64_C(1) << 62) + 1));
	CHECK(cprng_distinct_begin(&set, &none, (1 << 20) - 1, 1 << 24));
	CHECK(!cprng_distinct_begin(&set, &none, 1 << 20, 1 << 24));
	CHECK(!cprng_distinct_begin(&set, &none, (1 << 20) - 1, (1 << 24) + 1));
}

// Catches a way to choose that repeats an integer, prefers some, or whose order is not random.
TEST_CASE("sample: large ones are mixed throughout")
{
	constexpr std::size_t parts = 10;
	constexpr std::uint64_t large = UINT64_C(1) << 60;

	// By a shuffle of all in 2 and in 4 bytes each, by a scan, by a table, prefetched and not, and in rounds.
	for (const auto &chosen : { std::pair<std::size_t, std::uint64_t>{ 40000, 65536 },
				    { 40000, 70000 },
				    { 40000, 100000 },
				    { 16000, 100000 },
				    { 100000, 1000000000 },
				    { 20000, large } }) {
		const auto &[k, n] = chosen;
		std::vector<std::uint64_t> v(k), values(parts), moves(parts * parts);
		REQUIRE(cprng_sample(v.data(), k, n) == 0);
		std::vector<std::uint64_t> sorted = v;
		std::sort(sorted.begin(), sorted.end());
		INFO(chosen.first << " of " << chosen.second);
		REQUIRE(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end());
		REQUIRE(sorted.back() < n);
		for (std::size_t j = 0; j < k; j++) {
			const auto rank = static_cast<std::size_t>(
				std::lower_bound(sorted.begin(), sorted.end(), v[j]) - sorted.begin());
			values[static_cast<std::size_t>(static_cast<double>(v[j]) / static_cast<double>(n) * parts)]++;
			moves[rank / (k / parts) * parts + j / (k / parts)]++;
		}
		// Distinct integers fit better than independent ones.
		statistics::check_equal(values, "sample, values");
		statistics::check_equal(moves, "sample, from where to where", (parts - 1) * (parts - 1));
	}
}

// Catches a truncated index.
TEST_CASE("shuffle: large arrays are mixed throughout")
{
	constexpr std::size_t parts = 10;

	// The second array is scattered, and so are its buckets.
	for (const auto &[count, size] : { std::pair<std::size_t, std::size_t>{ 200000, 1 }, { 550000, 8 } }) {
		std::vector<std::uint64_t> v(count * size), moves(parts * parts);
		for (std::size_t j = 0; j < v.size(); j++)
			v[j] = j;
		cprng_shuffle(v.data(), count, size * sizeof(v[0]));
		std::vector<bool> seen(count);
		bool whole = true;
		for (std::size_t j = 0; j < count; j++) {
			const std::uint64_t first = v[j * size], from = first / size;
			REQUIRE(from < count);
			REQUIRE(!seen[from]);
			seen[from] = true;
			for (std::size_t i = 0; i < size; i++)
				whole &= v[j * size + i] == first + i;
			moves[from / (count / parts) * parts + j / (count / parts)]++;
		}
		CHECK(whole);
		// Row and column sums are fixed, which reduces the degrees of freedom.
		statistics::check_equal(moves, "shuffle, from where to where, " + std::to_string(count),
					(parts - 1) * (parts - 1));
	}
}
