// SPDX-License-Identifier: BSD-2-Clause
// What the targets share.  A target takes an input apart into calls, and throws where the library and its model differ:
// libFuzzer reports that as a crash, and the replay as a failed check.  A target depends on its input alone, not on the
// inputs before it.
#ifndef CPRNG_TESTS_FUZZ_FUZZ_HPP
#define CPRNG_TESTS_FUZZ_FUZZ_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace fuzz {

using Bytes = std::vector<std::uint8_t>;

// An input, from its beginning on; behind its end there are zeros.
class Input {
public:
	Input(const std::uint8_t *data, std::size_t size) : at_(data), end_(data + size)
	{
	}

	bool empty() const
	{
		return at_ == end_;
	}

	std::uint8_t byte()
	{
		return empty() ? std::uint8_t{ 0 } : *at_++;
	}

	// Of [0, n), n from 1 to 256.
	std::size_t below(std::size_t n)
	{
		return byte() % n;
	}

	std::uint64_t word(std::size_t bytes = 8)
	{
		std::uint64_t value = 0;

		for (std::size_t i = 0; i < bytes; i++)
			value |= std::uint64_t{ byte() } << 8 * i;
		return value;
	}

	// Small, near a power of two or of all sizes: where carries, bounds and ends are.
	std::uint64_t number()
	{
		const std::uint8_t kind = byte();
		const auto near = static_cast<std::uint64_t>(static_cast<std::int8_t>(kind < 128 ? 0 : byte()));

		if (kind < 64)
			return kind;
		if (kind < 128)
			return word(kind % 8 + 1);
		if (kind < 192)
			return (std::uint64_t{ 1 } << (kind - 128)) + near;
		return near; // around 0, or the greatest
	}

	// Of the input, or as many of a pattern that one byte stands for.
	Bytes bytes(std::size_t n)
	{
		const std::uint8_t first = byte();
		Bytes made(n);

		for (std::size_t i = 0; i < n; i++)
			made[i] = first < 128 ? static_cast<std::uint8_t>(first + i * (first | 1u)) : byte();
		return made;
	}

	// The rest.
	std::string text()
	{
		const std::string made(at_, end_);
		at_ = end_;
		return made;
	}

private:
	const std::uint8_t *at_, *end_;
};

inline void demand(bool holds, const std::string &what)
{
	if (!holds)
		throw std::runtime_error(what);
}

// Hides the CPU's features beyond one of the levels at which backends change; all levels are those of x86-64.
void choose_level(Input &input);

// A word near the place where normals go from one of their parts to the next, on either side.
std::uint64_t word_at_seam(Input &input);

void streams(Input input);
void backends(Input input);
void fortunas(Input input);
void parsers(Input input);
void command_lines(Input input);

} // namespace fuzz

#endif
