// SPDX-License-Identifier: BSD-2-Clause
// cprng::stream and the generators in C++20: concepts, ranges and spans.
#include "doctest/doctest.h"

#include "cprng/cprng.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <vector>

static_assert(std::uniform_random_bit_generator<cprng::stream>);
static_assert(std::uniform_random_bit_generator<cprng::generator>);
static_assert(std::uniform_random_bit_generator<cprng::generator32>);
static_assert(std::regular<cprng::stream>);

// Catches a stream that range algorithms do not accept, and a subspan that is only partly filled.
TEST_CASE("C++ stream: ranges and spans")
{
	cprng::stream s(1);
	std::vector<int> v(100), taken;

	std::iota(v.begin(), v.end(), 0);
	std::ranges::shuffle(v, s);
	CHECK(!std::ranges::is_sorted(v));
	std::ranges::sample(v, std::back_inserter(taken), 7, s);
	CHECK(taken.size() == 7);

	std::vector<double> a(10), b(10);
	cprng::stream t = s;
	s.fill_normal(std::span(a).subspan(2, 5));
	for (std::size_t i = 2; i < 7; i++)
		b[i] = t.normal();
	CHECK(a == b);
	std::vector<std::uint32_t> raw(4);
	s.read(std::span(raw).first(2));
	CHECK(raw[1] != 0); // false alarms: 2^-32
	CHECK(raw[2] == 0);
	std::vector<std::uint32_t> part(4), all(4);
	cprng::fill(std::span(part).subspan(1, 2));
	CHECK(part[0] == 0);
	CHECK(part[2] != 0);
	CHECK(part[3] == 0);
	std::span<std::uint32_t> whole(all);
	cprng::fill(whole);
	CHECK(all[3] != 0);
}
