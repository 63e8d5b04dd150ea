// SPDX-License-Identifier: BSD-2-Clause
// Code that the targets share.  A target decodes an input into calls, and throws if the library and its model differ.
// libFuzzer reports that as a crash, and the replay as a failed check.  A target depends only on its input, not on earlier
// inputs.
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

// An input, read from its beginning; zeros follow its end.
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

	// A number in [0, n), for n from 1 to 256.
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

	// A number that is small, near a power of two, or of any size: near carries, bounds and ends.
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
		return near; // around 0, or the largest number
	}

	// Bytes of the input, or a pattern chosen by one byte of it.
	Bytes bytes(std::size_t n)
	{
		const std::uint8_t first = byte();
		Bytes made(n);

		for (std::size_t i = 0; i < n; i++)
			made[i] = first < 128 ? static_cast<std::uint8_t>(first + i * (first | 1u)) : byte();
		return made;
	}

	// The rest of the input.
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

// Hides the CPU's features beyond one of the levels at which backends change; the levels are x86-64's.
void choose_level(Input &input);

// A word near the border of two parts of the normals' computation, on either side.
std::uint64_t word_at_seam(Input &input);

void streams(Input input);
void backends(Input input);
void fortunas(Input input);
void parsers(Input input);
void command_lines(Input input);

} // namespace fuzz

#endif
