// SPDX-License-Identifier: BSD-2-Clause
// The commands' results are unbiased: tests go through all values of the source.
#include "doctest/doctest.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "common/draws.hpp"
#include "common/error.hpp"
#include "lines/permutation.hpp"
#include "lines/reservoir.hpp"
#include "numbers/dice.hpp"
#include "sources.hpp"
#include "text/password.hpp"
#include "text/words.hpp"

namespace {

constexpr std::uint64_t factorial(std::uint64_t n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

std::string password(random_source &source, const alphabet &characters, std::size_t length, bool each_class)
{
	secret_text text;
	make_password(source, characters, length, each_class, text);
	return std::string(as_view(text));
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
		const std::string text = password(source, characters, 3, false);
		counts[text] += source.weight();
	} while (source.next());
	check_equal(counts, 125);
	CHECK(password_entropy(characters, 3, false) == doctest::Approx(std::log2(125)));
}

// Catches a text that is repaired instead of redrawn, and an entropy other than that of the remaining texts.
TEST_CASE("password: with each class, each such text once")
{
	struct cut : std::exception {};
	// End runs in which a text was rejected and a second one begun.
	class first_try final : public random_source {
	public:
		first_try(random_source &source, std::size_t draws) : source_(source), left_(draws)
		{
		}
		std::uint64_t word(unsigned int bits) override
		{
			return source_.word(bits);
		}
		std::uint64_t below(std::uint64_t bound) override
		{
			if (left_-- == 0)
				throw cut();
			return source_.below(bound);
		}
		double unit() override
		{
			return source_.unit();
		}

	private:
		random_source &source_;
		std::size_t left_;
	};
	for (const char *set : { "abX1", "abcdXY", "a1-", "ab" })
		for (std::size_t length = 1; length <= 4; length++) {
			const alphabet characters = alphabet::of(set);
			if (length < characters.classes().size())
				continue;
			std::uint64_t texts = 1;
			for (std::size_t i = 0; i < length; i++)
				texts *= characters.characters().size();
			every_source source(texts);
			std::map<std::string, std::uint64_t> counts;
			std::uint64_t rejected = 0;
			do {
				first_try once(source, length);
				try {
					counts[password(once, characters, length, true)]++;
				} catch (const cut &) {
					rejected++;
				}
			} while (source.next());
			for (const auto &[text, count] : counts) {
				CHECK(count == 1);
				for (const std::string &needed : characters.classes())
					CHECK(text.find_first_of(needed) != std::string::npos);
			}
			CHECK(counts.size() + rejected == texts);
			CHECK(password_entropy(characters, length, true) ==
			      doctest::Approx(std::log2(static_cast<double>(counts.size()))));
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
		const std::string text = password(source, safe, 2, false);
		counts[text] += source.weight();
	} while (source.next());
	check_equal(counts, 64 * 65);
	CHECK(std::none_of(counts.begin(), counts.end(), [](const auto &one) { return one.first[0] == '-'; }));
	CHECK(password_entropy(safe, 2, false) == doctest::Approx(std::log2(64 * 65)));
	CHECK(password_entropy(safe, 20, false) == doctest::Approx(std::log2(64) + 19 * std::log2(65)));
	// One of each of four classes: a quarter of the 4! orders begin with one of the others, of which two remain.
	const double sets = 26.0 * 26 * 10;
	CHECK(password_entropy(safe, 4, true) == doctest::Approx(std::log2(18 * sets * 3 + 6 * sets * 2)));
}

// Catches a duplicate character of an alphabet, or one without a class.
TEST_CASE("password: the known alphabets")
{
	for (const std::string &name : alphabet::names()) {
		const alphabet known = alphabet::named(name);
		const std::string &characters = known.characters();
		CHECK(std::set<char>(characters.begin(), characters.end()).size() == characters.size());
		std::size_t in_classes = 0;
		for (const std::string &set : known.classes())
			in_classes += set.size();
		CHECK(in_classes == characters.size());
	}
	CHECK(alphabet::named("alnum").characters().size() == 62);
	CHECK(alphabet::named("graph").characters().size() == 94);
	CHECK(alphabet::named("clear").characters().find_first_of("0Oo1lI2Z5S8B") == std::string::npos);
	CHECK(password_entropy(alphabet::named("alnum"), 20, false) == doctest::Approx(20 * std::log2(62)));
}

// Catches two choices of words that give the same phrase.
TEST_CASE("phrase: words that run into each other")
{
	const std::vector<std::string> words = parse_words("builtin", builtin_words);
	CHECK(words.size() == 7775);
	CHECK(words.front() == "abacus");
	CHECK(words.back() == "zoom");
	CHECK(are_distinct_phrases(words, ""));
	CHECK(are_distinct_phrases(words, " "));
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
