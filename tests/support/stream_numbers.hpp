// SPDX-License-Identifier: BSD-2-Clause
// A second implementation of bounded integers and samples, from docs/streams-specification.md, using a stream's 32-bit
// and 64-bit numbers.
#ifndef CPRNG_TESTS_STREAM_NUMBERS_HPP
#define CPRNG_TESTS_STREAM_NUMBERS_HPP

#include "cprng/cprng.h"
#include "core/uint128.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

inline std::uint32_t lemire32(cprng_stream *s, std::uint32_t bound)
{
	for (;;) {
		const std::uint64_t m = std::uint64_t{ cprng_stream_u32(s) } * bound;
		if ((m & 0xffffffff) >= (bound == 0 ? 0 : (std::uint64_t{ 1 } << 32) % bound))
			return static_cast<std::uint32_t>(m >> 32);
	}
}

inline std::uint64_t lemire64(cprng_stream *s, std::uint64_t bound)
{
	for (;;) {
		const cprng_uint128 m = cprng_mul64_portable(cprng_stream_u64(s), bound);
		if (m.lo >= (UINT64_MAX % bound + 1) % bound)
			return m.hi;
	}
}

inline std::uint64_t lemire(cprng_stream *s, std::uint64_t bound)
{
	return bound <= UINT32_MAX ? lemire32(s, static_cast<std::uint32_t>(bound)) : lemire64(s, bound);
}

inline std::vector<std::uint64_t> sample_by_the_book(cprng_stream *s, std::size_t k, std::uint64_t n)
{
	std::vector<std::uint64_t> v;

	if (k > n / 2) {
		for (std::uint64_t i = 0; v.size() < k; i++) {
			if (lemire(s, n - i) < k - v.size())
				v.push_back(i);
		}
	}
	while (v.size() < k) {
		for (std::size_t missing = k - v.size(); missing > 0; missing--)
			v.push_back(lemire(s, n));
		std::sort(v.begin(), v.end());
		v.erase(std::unique(v.begin(), v.end()), v.end());
	}
	for (std::size_t left = k; left > 1; left--)
		std::swap(v[left - 1], v[lemire(s, left)]);
	return v;
}

#endif
