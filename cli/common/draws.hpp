// SPDX-License-Identifier: BSD-2-Clause
// Draws from a source's integers.  All are exact: the tests try every value that a source can return.
#ifndef CPRNG_CLI_COMMON_DRAWS_HPP
#define CPRNG_CLI_COMMON_DRAWS_HPP

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/source.hpp"

// A uniform integer in [0, last].
inline std::uint64_t draw_up_to(random_source &source, std::uint64_t last)
{
	return last == UINT64_MAX ? source.word(64) : source.below(last + 1);
}

// A uniform integer in [low, high].
inline std::int64_t draw_between(random_source &source, std::int64_t low, std::int64_t high)
{
	// Modulo 2^64, the difference and the sum of signed numbers are correct.
	const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
	return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + draw_up_to(source, span));
}

// A uniformly random order of the elements (Fisher and Yates, Durstenfeld's form).
template <typename Container> void put_in_random_order(random_source &source, Container &elements)
{
	for (std::size_t left = elements.size(); left > 1; left--) {
		const auto chosen = static_cast<std::size_t>(source.below(left));
		std::swap(elements[chosen], elements[left - 1]);
	}
}

// The most memory that draw_distinct() needs for one integer: a table entry with its links.
constexpr std::uint64_t distinct_bytes = 48;

// Pass `count` distinct integers of [0, last], or all of them if there are fewer, to take(): all sequences are
// equally likely.  Fisher and Yates from the front; only exchanged places are in memory.
template <typename Take> void draw_distinct(random_source &source, std::uint64_t last, std::uint64_t count, Take take)
{
	std::unordered_map<std::uint64_t, std::uint64_t> exchanged;
	const auto at = [&](std::uint64_t place) {
		const auto found = exchanged.find(place);
		return found == exchanged.end() ? place : found->second;
	};
	for (std::uint64_t i = 0; i < count; i++) {
		const std::uint64_t left = last - i;
		const std::uint64_t chosen = i + draw_up_to(source, left);
		const std::uint64_t step = at(chosen);
		exchanged[chosen] = at(i);
		exchanged.erase(i);
		take(step);
		if (left == 0)
			return;
	}
}

// The same sequences from an array of all places.
template <typename Take> void draw_from_all(random_source &source, std::uint64_t last, std::uint64_t count, Take take)
{
	std::vector<std::uint64_t> places(static_cast<std::size_t>(last + 1));
	std::iota(places.begin(), places.end(), 0);
	if (count > last) {
		source.order(places.data(), places.size());
		for (std::uint64_t place : places)
			take(place);
		return;
	}
	for (std::size_t i = 0; i < count; i++) {
		std::swap(places[i], places[i + static_cast<std::size_t>(draw_up_to(source, last - i))]);
		take(places[i]);
	}
}

#endif
