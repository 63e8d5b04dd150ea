// SPDX-License-Identifier: BSD-2-Clause
// Buffers that detect writes outside them, and comparisons that report the place.
#ifndef CPRNG_TESTS_BUFFERS_HPP
#define CPRNG_TESTS_BUFFERS_HPP

#include "doctest/doctest.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

using Bytes = std::vector<std::uint8_t>;

inline std::string hex(const std::uint8_t *p, std::size_t n)
{
	std::string s;
	char two[3];

	for (std::size_t i = 0; i < n; i++) {
		std::snprintf(two, sizeof(two), "%02x", p[i]);
		s += two;
	}
	return s;
}

// A buffer of len bytes, `offset` bytes past a 64-byte boundary, with 128 known bytes on each side.
class Guarded {
public:
	explicit Guarded(std::size_t len, std::size_t offset = 0)
	    : length(len),
	      memory(static_cast<std::uint8_t *>(::operator new(offset + len + 2 * guard, std::align_val_t(64)))),
	      start(memory.get() + guard + offset)
	{
		std::fill(start - guard, start + len + guard, pattern);
	}

	std::uint8_t *data()
	{
		return start;
	}

	const std::uint8_t *data() const
	{
		return start;
	}

	std::size_t size() const
	{
		return length;
	}

	// Nothing was written before `from`, or after from + n.
	bool intact(std::size_t from, std::size_t n) const
	{
		auto is_pattern = [](std::uint8_t b) { return b == pattern; };
		return std::all_of(start - guard, start + from, is_pattern) &&
		       std::all_of(start + from + n, start + length + guard, is_pattern);
	}

	// Nothing was written outside.
	bool intact() const
	{
		return intact(0, length);
	}

	// Nothing was written at all.
	bool untouched() const
	{
		return intact(0, 0);
	}

private:
	static constexpr std::size_t guard = 128;
	static constexpr std::uint8_t pattern = 0xa7;

	struct Free {
		void operator()(void *p) const
		{
			::operator delete(p, std::align_val_t(64));
		}
	};

	std::size_t length;
	std::unique_ptr<std::uint8_t, Free> memory;
	std::uint8_t *start;
};

// Fails the test, and reports the first difference, unless n bytes are equal.
inline bool same(const std::uint8_t *got, const std::uint8_t *want, std::size_t n, const std::string &what)
{
	if (n == 0 || std::memcmp(got, want, n) == 0)
		return true;
	const std::size_t at = static_cast<std::size_t>(std::mismatch(got, got + n, want).first - got);
	const std::size_t shown = std::min<std::size_t>(n - at, 16);
	FAIL_CHECK(what << ": byte " << at << " of " << n << ": got " << hex(got + at, shown) << ", want "
			<< hex(want + at, shown));
	return false;
}

#endif
