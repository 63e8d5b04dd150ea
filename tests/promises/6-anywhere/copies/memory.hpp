// SPDX-License-Identifier: BSD-2-Clause
// What lies in the buffers of copies of the library, as seen from outside.
#ifndef CPRNG_TESTS_COPIES_MEMORY_HPP
#define CPRNG_TESTS_COPIES_MEMORY_HPP

#include "module.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// The page of the CPU that this thread stays on, as it was at one time; by <cprng/draw.h>, `left` and the bytes.
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

// The private memory without a name, where all buffers are, in whatever placement.
class Memory {
public:
	Memory();

	bool holds(const void *bytes, std::size_t len) const;

private:
	std::vector<std::vector<unsigned char>> ranges;
};

#endif
