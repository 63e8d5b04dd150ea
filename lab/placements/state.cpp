// SPDX-License-Identifier: BSD-2-Clause
#include "state.hpp"

#include <algorithm>
#include <cstring>

namespace lab {

namespace {

// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014).
std::uint64_t mix(std::uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

constexpr std::uint64_t step = 0x9e3779b97f4a7c15;

} // namespace

void make_key(std::uint64_t seed, std::uint32_t index, std::uint32_t number, unsigned char *out, std::size_t len)
{
	std::uint64_t x = mix(mix(seed + step) + (std::uint64_t{ index } << 32 | number));
	for (std::size_t at = 0; at < len; at += sizeof(x)) {
		x += step;
		const std::uint64_t word = mix(x);
		std::memcpy(out + at, &word, std::min(sizeof(word), len - at));
	}
}

} // namespace lab
