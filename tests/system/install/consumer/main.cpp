// SPDX-License-Identifier: BSD-2-Clause
// main.c in C++.
#include <cprng/cprng.hpp>

#include <algorithm>
#include <array>
#include <iostream>

std::uint64_t other_draw(); // other.cpp: the inlined draws in a second object

int main()
{
	std::array<unsigned char, 32> a, b;
	cprng::fill(a);
	cprng::fill(b);

	std::array<int, 52> deck{};
	for (std::size_t i = 0; i < deck.size(); i++)
		deck[i] = static_cast<int>(i);
	std::shuffle(deck.begin(), deck.end(), cprng::generator());
	const bool shuffled = !std::is_sorted(deck.begin(), deck.end());
	std::sort(deck.begin(), deck.end());

	if (a == b || other_draw() == cprng_fast64() || !shuffled || deck[51] != 51 ||
	    cprng_selftest(nullptr, nullptr) != 0) {
		std::cerr << "not random\n";
		return 1;
	}
	return 0;
}
