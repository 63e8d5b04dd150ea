// SPDX-License-Identifier: BSD-2-Clause
// SplitMix64 (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014; constants of Vigna's
// splitmix64.c): reproducible words for tests.  Not under test.
#ifndef CPRNG_TESTS_SPLITMIX64_HPP
#define CPRNG_TESTS_SPLITMIX64_HPP

#include <cstdint>

namespace splitmix64 {

constexpr std::uint64_t step = UINT64_C(0x9e3779b97f4a7c15);

// A permutation of 64 bits.  It works in place, because tests that search the stack for words must not have x on the stack.
inline void mix(std::uint64_t &x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
}

// Word n of the generator whose state begins at 0; all words differ.
inline std::uint64_t word(std::uint64_t n)
{
	std::uint64_t x = (n + 1) * step;

	mix(x);
	return x;
}

} // namespace splitmix64

#endif
