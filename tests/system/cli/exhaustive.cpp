// SPDX-License-Identifier: BSD-2-Clause
// The commands' results are unbiased: tests go through all values of the source.
#include "doctest/doctest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/draws.hpp"
#include "common/error.hpp"
#include "lines/permutation.hpp"
#include "lines/reservoir.hpp"
#include "lines/weighted.hpp"
#include "numbers/dice.hpp"
#include "sources.hpp"
#include "text/password.hpp"
#include "text/words.hpp"

namespace {

constexpr std::uint64_t factorial(std::uint64_t n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

std::string password(random_source &source, const alphabet &characters, std::size_t length,
		     const class_counts &least = {})
{
	secret_text text;
	make_password(source, characters, length, least, text);
	return std::string(as_view(text));
}

// Whether at least so many of the bytes are in the text.
bool has(const std::string &text, const std::string &bytes, std::size_t least)
{
	std::size_t found = 0;
	for (char c : text)
		found += bytes.find(c) != std::string::npos;
	return found >= least;
}

template <typename Value> void check_equal(const std::map<Value, std::uint64_t> &counts, std::uint64_t values)
{
	CHECK(counts.size() == values);
	for (const auto &[value, count] : counts)
		CHECK(count == counts.begin()->second);
}

} // namespace

// Catches a number of the range that comes twice as often, or an end that never comes.
TEST_CASE("int: each number of a range once")
{
	for (std::int64_t low = -4; low <= 4; low++)
		for (std::int64_t high = low; high <= 5; high++) {
			const auto span = static_cast<std::uint64_t>(high - low + 1);
			every_source source(span);
			std::map<std::int64_t, std::uint64_t> counts;
			do {
				const std::int64_t number = draw_between(source, low, high);
				counts[number] += source.weight();
			} while (source.next());
			check_equal(counts, span);
			CHECK(counts.begin()->first == low);
			CHECK(counts.rbegin()->first == high);
		}
}

// Catches an overflow in the width of a signed range.
TEST_CASE("int: the ends of 64 bits")
{
	for (std::uint64_t word : { std::uint64_t{ 0 }, std::uint64_t{ 1 }, UINT64_MAX }) {
		scripted_source source({ word });
		const auto expected = static_cast<std::int64_t>((std::uint64_t{ 1 } << 63) + word);
		CHECK(draw_between(source, INT64_MIN, INT64_MAX) == expected);
		CHECK(source.last_bound == 0);
	}
	scripted_source source({ UINT64_MAX - 1, 0, 7 });
	CHECK(draw_between(source, INT64_MIN, INT64_MAX - 1) == INT64_MAX - 1);
	CHECK(source.last_bound == UINT64_MAX);
	CHECK(draw_between(source, INT64_MAX, INT64_MAX) == INT64_MAX);
	CHECK(draw_between(source, -10, 10) == -3);
	CHECK(source.last_bound == 21);
}

// Catches a biased order: Fisher and Yates with an off-by-one bound.
TEST_CASE("shuffle: each order once")
{
	for (std::size_t n = 0; n <= 6; n++) {
		every_source source(factorial(n));
		std::map<std::vector<int>, std::uint64_t> counts;
		do {
			std::vector<int> elements(n);
			std::iota(elements.begin(), elements.end(), 0);
			put_in_random_order(source, elements);
			counts[elements] += source.weight();
		} while (source.next());
		check_equal(counts, factorial(n));
	}
}

// Catches a biased or repeated number, where only exchanged places are stored or an array has all.
TEST_CASE("numbers of a range: each sequence once")
{
	for (std::uint64_t n = 1; n <= 5; n++)
		for (std::uint64_t k = 0; k <= 6; k++) {
			const std::uint64_t kept = std::min(k, n);
			const std::uint64_t sequences = factorial(n) / factorial(n - kept);
			for (bool from_all : { false, true }) {
				every_source source(sequences);
				std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
				do {
					std::vector<std::uint64_t> found;
					const auto take = [&](std::uint64_t i) { found.push_back(i); };
					if (from_all)
						draw_from_all(source, n - 1, k, take);
					else
						draw_distinct(source, n - 1, k, take);
					CHECK(found.size() == kept);
					CHECK(std::set<std::uint64_t>(found.begin(), found.end()).size() == kept);
					counts[found] += source.weight();
				} while (source.next());
				check_equal(counts, sequences);
			}
		}
	scripted_source source({ UINT64_MAX, 0 });
	std::vector<std::uint64_t> found;
	draw_distinct(source, UINT64_MAX, 2, [&](std::uint64_t i) { found.push_back(i); });
	// The least replaced the greatest, and the second comes next.
	CHECK(found == std::vector<std::uint64_t>{ UINT64_MAX, 1 });
}

// Catches lines that keep their order within a temporary file, or files with unequal weights.
TEST_CASE("shuffle: each order equally often with temporary files")
{
	// memory: room for one line but not two, so that lines in one file are distributed again, once.
	constexpr std::uint64_t bins = 2;
	for (std::size_t n : { std::size_t{ 2 }, std::size_t{ 3 } }) {
		every_source source(factorial(n) * factorial(n) * 64 * 64);
		std::map<std::string, std::uint64_t> counts;
		do {
			permutation order(source, 1, "/tmp", permutation::depth_max - 2, bins);
			for (std::size_t i = 0; i < n; i++)
				order.add(std::string(1, static_cast<char>('a' + i)));
			std::string text;
			order.take([&](std::string_view line) { text += line; });
			counts[text] += source.weight();
		} while (source.next());
		check_equal(counts, factorial(n));
	}
}

// Catches a line that is lost or truncated at a buffer's end.
TEST_CASE("shuffle: lines of every length come back from temporary files")
{
	keyed_source source(1);
	permutation order(source, 100'000, "/tmp");
	std::multiset<std::string> given;
	for (std::size_t i = 0; i < 3000; i++) {
		// Some are longer than a file's buffer, and some are empty.
		const std::size_t length = i % 500 == 499 ? 200'000 : i % 80;
		given.insert(std::string(length, static_cast<char>('a' + i % 26)));
		order.add(std::string(length, static_cast<char>('a' + i % 26)));
	}
	std::multiset<std::string> taken;
	order.take([&](std::string_view line) { taken.emplace(line); });
	CHECK(given == taken);
}

// Catches an input line whose probability depends on its place.
TEST_CASE("pick: each choice in each order equally often")
{
	for (std::size_t n = 0; n <= 5; n++)
		for (std::size_t k = 0; k <= 3; k++) {
			const std::size_t kept = std::min(n, k);
			every_source source(factorial(n) * factorial(kept));
			std::map<std::string, std::uint64_t> counts;
			do {
				reservoir chosen(source, k);
				for (std::size_t i = 0; i < n; i++)
					chosen.add(std::string(1, static_cast<char>('a' + i)));
				std::string text;
				for (const std::string &one : chosen.take())
					text += one;
				CHECK(text.size() == kept);
				counts[text] += source.weight();
			} while (source.next());
			check_equal(counts, factorial(n) / factorial(n - kept));
		}
}

// Catches a preferred character.
TEST_CASE("password: each text once")
{
	const alphabet characters = alphabet::of("aB1-x");
	every_source source(125);
	std::map<std::string, std::uint64_t> counts;
	do {
		const std::string text = password(source, characters, 3);
		counts[text] += source.weight();
	} while (source.next());
	check_equal(counts, 125);
	CHECK(password_entropy(characters, 3) == doctest::Approx(std::log2(125)));
}

// Catches a text that is repaired instead of redrawn, and an entropy other than that of the remaining texts.
TEST_CASE("password: with each class, each such text once")
{
	for (const char *set : { "abX1", "abcdXY", "a1-", "ab", "a\u00e91\u4e2d" })
		for (const class_counts &wanted :
		     { class_counts{ 9, 9, 9, 9 }, { 1, 0, 2, 0 }, { 0, 1, 0, 1 }, { 3, 0, 0, 0 } })
			for (std::size_t length = 1; length <= 4; length++) {
				const alphabet characters = alphabet::of(set);
				class_counts least = wanted;
				if (wanted[0] == 9)
					least = characters.each_class();
				std::uint64_t texts = 1;
				for (std::size_t i = 0; i < length; i++)
					texts *= characters.size();
				every_source source(texts, length);
				std::map<std::string, std::uint64_t> counts;
				std::uint64_t rejected = 0;
				do {
					try {
						counts[password(source, characters, length, least)]++;
					} catch (const every_source::cut &) {
						rejected++;
					}
				} while (source.next());
				for (const auto &[text, count] : counts) {
					CHECK(count == 1);
					CHECK(has(text, "abcd", least[0]));
					CHECK(has(text, "XY", least[1]));
					CHECK(has(text, "1", least[2]));
					CHECK(has(text, "-\xc3\xe4", least[3]));
				}
				CHECK(counts.size() + rejected == texts);
				class_share share(characters, least);
				double last = 0;
				for (std::size_t i = 0; i < length; i++)
					last = share.grow();
				CHECK(last * static_cast<double>(texts) ==
				      doctest::Approx(static_cast<double>(counts.size())));
			}
}

// Catches a first character drawn with wrong weights, one that must not come first, and an entropy that counts such
// passwords.  With each class the alphabet is too large to enumerate, so a separate count checks the formula.
TEST_CASE("password: no hyphen at the start of the safe ones")
{
	const alphabet safe = alphabet::named("safe");
	every_source source(64 * 65);
	std::map<std::string, std::uint64_t> counts;
	do {
		const std::string text = password(source, safe, 2);
		counts[text] += source.weight();
	} while (source.next());
	check_equal(counts, 64 * 65);
	CHECK(std::none_of(counts.begin(), counts.end(), [](const auto &one) { return one.first[0] == '-'; }));
	CHECK(password_entropy(safe, 2) == doctest::Approx(std::log2(64 * 65)));
	CHECK(password_entropy(safe, 20) == doctest::Approx(std::log2(64) + 19 * std::log2(65)));
	// One of each of four classes: a quarter of the 4! orders begin with one of the others, of which two remain.
	const double sets = 26.0 * 26 * 10;
	class_share share(safe, safe.each_class());
	double last = 0;
	for (int i = 0; i < 4; i++)
		last = share.grow();
	CHECK(password_entropy(safe, 4, last) == doctest::Approx(std::log2(18 * sets * 3 + 6 * sets * 2)));
}

// Catches a duplicate character of an alphabet, or one without a class.
TEST_CASE("password: the known alphabets")
{
	for (const std::string &name : alphabet::names()) {
		const alphabet known = alphabet::named(name);
		const std::string &characters = known.characters();
		CHECK(std::set<char>(characters.begin(), characters.end()).size() == characters.size());
		CHECK(std::accumulate(known.classes().begin(), known.classes().end(), std::size_t{ 0 }) ==
		      characters.size());
	}
	CHECK(alphabet::named("alnum").characters().size() == 62);
	CHECK(alphabet::named("graph").characters().size() == 94);
	CHECK(alphabet::named("clear").characters().find_first_of("0Oo1lI2Z5S8B") == std::string::npos);
	CHECK(password_entropy(alphabet::named("alnum"), 20) == doctest::Approx(20 * std::log2(62)));
}

// Catches two choices of words that give the same phrase.
TEST_CASE("phrase: words that run into each other")
{
	for (const word_list &list : builtin_words) {
		const std::vector<std::string> words = parse_words("builtin", list.words);
		CHECK(words.size() == (list.name == "eff-long" ? 7775 : list.name == "eff-short" ? 1295 : 1296));
		CHECK(words.front() == (list.name == "eff-long"  ? "abacus" :
					list.name == "eff-short" ? "acid" :
								   "aardvark"));
		CHECK(words.back() == (list.name == "eff-prefix" ? "zucchini" : "zoom"));
		CHECK(are_distinct_phrases(words, ""));
		CHECK(are_distinct_phrases(words, " "));
	}
	CHECK_FALSE(are_distinct_phrases({ "in", "side", "inside" }, ""));
	CHECK(are_distinct_phrases({ "in", "side", "inside" }, " "));
	CHECK_FALSE(are_distinct_phrases({ "t", "t-shirt" }, "-"));
	CHECK_THROWS_AS(parse_words("x", "one\ntwo\none\n"), runtime_failure);
	CHECK_THROWS_AS(parse_words("x", "# nothing\n\n"), runtime_failure);
	CHECK(parse_words("x", "11111\tone\r\n  two  \n#three\n") == std::vector<std::string>{ "one", "two" });
}

// Catches a biased face, or a sum without its constant.
TEST_CASE("dice: the sums of two dice")
{
	every_source source(36);
	std::map<std::int64_t, std::uint64_t> counts;
	do {
		const dice_throw result = throw_dice(source, parse_dice("2d6+10"));
		CHECK(result.faces.size() == 2);
		CHECK(result.sum == static_cast<std::int64_t>(result.faces[0] + result.faces[1] + 10));
		counts[result.sum] += source.weight();
	} while (source.next());
	CHECK(counts.size() == 11);
	for (const auto &[sum, count] : counts)
		CHECK(count == 6 - static_cast<std::uint64_t>(std::abs(sum - 17)));
}

// Catches a sign or number of sides taken from another term.
TEST_CASE("dice: signs and constants")
{
	scripted_source source({ 0, 1, 2, 99 });
	const dice_throw result = throw_dice(source, parse_dice("-2d4+D8-3+d%"));
	CHECK(result.faces == std::vector<std::uint64_t>{ 1, 2, 3, 100 });
	CHECK(result.sum == -1 - 2 + 3 - 3 + 100);
	CHECK(source.last_bound == 100);
}

// Catches a factor that is added, or that multiplies another term.
TEST_CASE("dice: products")
{
	scripted_source source({ 3, 1, 5 });
	const dice_throw result = throw_dice(source, parse_dice("100-d4*10*d2+2*d6*3"));
	CHECK(result.faces == std::vector<std::uint64_t>{ 4, 2, 6 });
	CHECK(result.sum == 100 - 4 * 10 * 2 + 2 * 6 * 3);
}

// Catches a die that counts though it was not kept, a face that is lost, and a kept face in another place.
TEST_CASE("dice: the highest and the lowest")
{
	for (const auto &[text, lowest, kept] : { std::tuple{ "3d4k2", false, 2 },
						  { "3d4kl2", true, 2 },
						  { "3d4kh", false, 1 },
						  { "3d4kL1", true, 1 },
						  { "3d4k3", false, 3 } }) {
		every_source source(64);
		const std::vector<dice_term> terms = parse_dice(text);
		do {
			std::vector<std::uint64_t> thrown;
			const dice_throw result = throw_dice(source, terms);
			CHECK(result.faces.size() == static_cast<std::size_t>(kept));
			thrown = result.faces;
			thrown.insert(thrown.end(), result.dropped.begin(), result.dropped.end());
			CHECK(thrown.size() == 3);
			std::sort(thrown.begin(), thrown.end());
			if (!lowest)
				std::reverse(thrown.begin(), thrown.end());
			CHECK(result.sum == std::accumulate(thrown.begin(), thrown.begin() + kept, std::int64_t{ 0 }));
		} while (source.next());
	}
	scripted_source source({ 0, 3, 1, 3, 2 });
	const dice_throw result = throw_dice(source, parse_dice("5d4k3"));
	CHECK(result.faces == std::vector<std::uint64_t>{ 4, 4, 3 });
	CHECK(result.dropped == std::vector<std::uint64_t>{ 1, 2 });
}

// Catches a product or a sum that overflows, and one that is refused though it fits.
TEST_CASE("dice: the largest sums")
{
	CHECK_NOTHROW(parse_dice("d4294967296*2147483647"));
	CHECK_THROWS_AS(parse_dice("d4294967296*2147483648"), usage_error);
	CHECK_THROWS_AS(parse_dice("d4294967296*2147483647+4294967296"), usage_error);
	CHECK_THROWS_AS(parse_dice("d4294967296*4294967296*4294967296"), usage_error);
	CHECK_THROWS_AS(parse_dice("d6+4294967296*4294967295*0"), usage_error);
	scripted_source source({ 4294967295 });
	CHECK(throw_dice(source, parse_dice("-d4294967296*2147483647")).sum == -4294967296 * 2147483647);
	for (const char *text : { "0*d6", "d6*0", "0d6*d6", "d1*5", "4d6k0", "4d6k5", "0d6k", "d6k1k1", "3k1", "*d6" })
		CHECK_THROWS_AS(parse_dice(text), usage_error);
}

// Catches a line with another probability than its weight's, first or among those that are left, and one of the weight 0.
TEST_CASE("pick: each line by its weight")
{
	const std::vector<std::uint64_t> weights = { 1, 0, 2, 3 };
	for (bool repeat : { false, true }) {
		// Two draws for each of two choices, below the number and the sum of the weights; after the line of half the
		// weight there is a table of the others.
		every_source source(4 * 6 * 4 * 6, 4);
		std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> counts;
		do {
			try {
				weighted_choice choice(source, weights, repeat);
				const std::size_t first = choice.take(), second = choice.take();
				CHECK(weights[first] * weights[second] > 0);
				CHECK((repeat || first != second));
				counts[{ first, second }] += source.weight();
			} catch (const every_source::cut &) {
				CHECK_FALSE(repeat);
			}
		} while (source.next());
		CHECK(counts.size() == (repeat ? 9 : 6));
		for (const auto &[both, count] : counts)
			// w1 / 6 of 576 for the first, and w2 / 6 or w2 / 3 for the second.
			CHECK(count ==
			      weights[both.first] * weights[both.second] * (!repeat && both.first == 3 ? 32 : 16));
	}
	keyed_source source(1);
	weighted_choice all(source, weights, false);
	std::set<std::size_t> seen;
	for (int i = 0; i < 3; i++) {
		CHECK(all.any());
		seen.insert(all.take());
	}
	CHECK_FALSE(all.any());
	CHECK(seen == std::set<std::size_t>{ 0, 2, 3 });
}

// Catches a text that loses its end, and a weight that is read from the wrong column.
TEST_CASE("pick: lines with weights")
{
	for (const auto &[line, text, weight] : { std::tuple{ "red=70", "red", 70U },
						  { "red 70", "red", 70U },
						  { "a b\t  007", "a b", 7U },
						  { "a=b=1", "a=b", 1U },
						  { "a =5", "a", 5U },
						  { "a = 5", "a", 5U },
						  { "=3", "", 3U },
						  { " 3", "", 3U } }) {
		const weighted_text found = parse_weighted(1, line);
		CHECK(found.text == text);
		CHECK(found.weight == weight);
	}
	for (const char *line : { "", "red", "70", "red=", "red=-1", "red=1.5", "red=70 ", "red=18446744073709551616" })
		CHECK_THROWS_AS(parse_weighted(1, line), runtime_failure);
	keyed_source source(1);
	CHECK_THROWS_AS(weighted_choice(source, {}, false), runtime_failure);
	CHECK_THROWS_AS(weighted_choice(source, { 0, 0 }, false), runtime_failure);
	CHECK_THROWS_AS(weighted_choice(source, { UINT64_MAX, 1 }, false), runtime_failure);
	CHECK_THROWS_AS(weighted_choice(source, { UINT64_MAX / 2, 1 }, false), runtime_failure);
}
