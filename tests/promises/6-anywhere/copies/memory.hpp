// SPDX-License-Identifier: BSD-2-Clause
// The buffers of the library's copies, as seen from outside.
#ifndef CPRNG_TESTS_COPIES_MEMORY_HPP
#define CPRNG_TESTS_COPIES_MEMORY_HPP

#include "module.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// A snapshot of the buffer page of this thread's CPU: `left` and the bytes, by <cprng/draw.h>.
class Page {
public:
	static Page of(const Module *m);

	std::uint32_t left() const;
	const unsigned char *out() const;
	bool is_zero() const;
	bool is_zero(std::size_t from, std::size_t len) const; // of out()
	bool operator==(const Page &other) const;

private:
	std::array<unsigned char, 4096> content;
};

// The private anonymous memory; it contains all buffers in every placement.
class Memory {
public:
	Memory();

	bool holds(const void *bytes, std::size_t len) const;

private:
	std::vector<std::vector<unsigned char>> ranges;
};

#endif
