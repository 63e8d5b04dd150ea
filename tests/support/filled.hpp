// SPDX-License-Identifier: BSD-2-Clause
// Checks that a buffer is completely filled with random bytes and that nothing else is written.
#ifndef CPRNG_TESTS_FILLED_HPP
#define CPRNG_TESTS_FILLED_HPP

#include "repeats.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <vector>

namespace filled {

// The function under test: writes len random bytes to buf, different in each call.  Returns false on refusal.
using Call = std::function<bool(void *buf, std::size_t len)>;

/*
 * The number of runs for each length.  Before each run, the buffer and its surroundings are filled with a known byte, which
 * differs between runs.
 *
 * False alarms.  A written byte equals the known one in all runs with probability 2^-64; no test examines more than 2^28 of them,
 * so the probability is at most 2^-36.  Sixteen written bytes equal the known ones with 2^-128. Repeats: see below.
 */
constexpr int runs = 8;
constexpr std::size_t guard = 64;

// Memory for successive requests of up to `most` bytes.
class Memory {
public:
	explicit Memory(std::size_t most)
	    : memory(static_cast<std::uint8_t *>(
		      ::operator new(most + 2 * guard + 4096, std::align_val_t(4096), std::nothrow)))
	{
	}

	~Memory()
	{
		::operator delete(memory, std::align_val_t(4096));
	}

	Memory(const Memory &) = delete;
	Memory &operator=(const Memory &) = delete;

	bool is_there() const
	{
		return memory != nullptr;
	}

	// An address that is `offset` bytes (less than a page) past a multiple of 64.
	std::uint8_t *at(std::size_t offset)
	{
		return memory + guard + offset;
	}

private:
	std::uint8_t *memory;
};

// The first of n bytes that differs from this one, or n.
inline std::size_t first_other(const std::uint8_t *p, std::size_t n, std::uint8_t byte)
{
	std::size_t i = 0;

	if (n != 0 && p[0] == byte && std::memcmp(p, p + 1, n - 1) == 0)
		return n;
	while (i < n && p[i] == byte)
		i++;
	return i;
}

// The offset of sixteen bytes, at a multiple of 16 from the start or the end, that all equal this one; len if there are none.
inline std::size_t unfilled_piece(const std::uint8_t *p, std::size_t len, std::uint8_t byte)
{
	const std::uint64_t word = byte * UINT64_C(0x0101010101010101);

	if (len < 16)
		return len;
	for (std::size_t i = 0; i + 16 <= len; i += 16) {
		if (window_at(p + i) == word && window_at(p + i + 8) == word)
			return i;
	}
	const std::uint8_t *last = p + len - 16;
	return window_at(last) == word && window_at(last + 8) == word ? len - 16 : len;
}

/*
 * Finds zero windows, and windows of eight bytes that occur twice in one buffer.  In a large buffer it uses the
 * windows, at every offset, whose lowest six bits are zero: a repeat of some KiB contains dozens of them, whatever the
 * distance and alignment of its two places.
 *
 * False alarms for n bytes.  A zero window: n / 2^64, and no test examines 2^30 bytes.  A window that occurs twice: n^2 / 2^65,
 * so more than `few` repeats are required.
 * - Small buffers: two repeats are mostly one repeat of nine bytes, with probability n^2 / 2^73.  Over all buffers of a test
 *   that is 2^-35.  A repeated block of 16 bytes gives nine repeats.
 * - Large buffers, up to 2^28 bytes: a sampled window occurs twice with probability 2^-15, and three do with less than 2^-40.
 */
inline std::string repeats(const std::uint8_t *p, std::size_t len)
{
	const bool large = len > 8192;
	const std::uint64_t sample = large ? 63 : 0;
	const std::size_t few = large ? 2 : 1;
	Seen seen(large ? len / 56 + 64 : len);
	std::size_t again = 0;

	for (std::size_t i = 0; i + 8 <= len; i++) {
		const std::uint64_t window = window_at(p + i);
		if ((window & sample) != 0)
			continue;
		if (window == 0)
			return "zeros at byte " + std::to_string(i);
		if (!seen.insert(window) && ++again > few)
			return "bytes that were not overwritten, at byte " + std::to_string(i);
	}
	return "";
}

// The parts of a buffer that are checked byte by byte: a small buffer as a whole; in a large buffer both ends and the
// surroundings of multiples of 1 MiB, where pieces meet.
inline std::vector<std::size_t> places(std::size_t len)
{
	constexpr std::size_t border = std::size_t{ 1 } << 20, near = 64;
	std::vector<std::size_t> v;

	for (std::size_t i = 0; i < len; i++) {
		const std::size_t past = i % border;
		if (len > 8192 && past >= near && past < border - near && len - i > 4 * near)
			i += std::min(border - near - past, len - i - 4 * near) - 1;
		else
			v.push_back(i);
	}
	return v;
}

// Returns the error in len bytes, `offset` past a multiple of 64, after `runs` calls; "" if there is none.
inline std::string fault(Memory &memory, const Call &call, std::size_t len, std::size_t offset)
{
	static const std::uint8_t known[runs] = { 0x00, 0xff, 0xa5, 0x5a, 0x01, 0x80, 0x3c, 0xc3 };
	const std::vector<std::size_t> looked_at = places(len);
	std::vector<std::uint8_t> changed(looked_at.size());
	std::uint8_t *const p = memory.at(offset);
	const std::string what = std::to_string(len) + " bytes at " + std::to_string(offset) + ": ";

	for (int run = 0; run < runs; run++) {
		const std::uint8_t byte = known[run];
		std::memset(p - guard, byte, len + 2 * guard);
		if (!call(p, len))
			return what + "refused";
		if (first_other(p - guard, guard, byte) != guard)
			return what + "a byte before the first was written";
		if (first_other(p + len, guard, byte) != guard)
			return what + "a byte after the last was written";
		const std::size_t piece = unfilled_piece(p, len, byte);
		if (piece != len)
			return what + "unfilled from byte " + std::to_string(piece);
		for (std::size_t i = 0; i < looked_at.size(); i++)
			changed[i] |= static_cast<std::uint8_t>(p[looked_at[i]] ^ byte);
		if (run == 0) {
			const std::string found = repeats(p, len);
			if (!found.empty())
				return what + found;
		}
	}
	const auto stuck = std::find(changed.begin(), changed.end(), 0);
	if (stuck != changed.end())
		return what + "byte " + std::to_string(looked_at[static_cast<std::size_t>(stuck - changed.begin())]) +
		       " is never written";
	return "";
}

} // namespace filled

#endif
