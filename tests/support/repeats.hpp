// SPDX-License-Identifier: BSD-2-Clause
// Finds repeats among many 64-bit values, and among all 8-byte windows of several outputs.  The step explorer and the soak use
// the same table.
#ifndef CPRNG_TESTS_REPEATS_HPP
#define CPRNG_TESTS_REPEATS_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

inline std::uint64_t window_at(const void *p)
{
	std::uint64_t v;

	std::memcpy(&v, p, sizeof(v));
	return v;
}

// Open addressing in a table of 2^bits places, one of which is free: the place of the value, or the free one where it belongs.
// `elsewhere` returns whether another value has a place.
template <typename Place, typename Elsewhere>
Place &place_of(Place *table, unsigned int bits, std::uint64_t value, Elsewhere elsewhere)
{
	std::size_t i = static_cast<std::size_t>(value * UINT64_C(0x9e3779b97f4a7c15) >> (64 - bits));

	while (elsewhere(table[i]))
		i = (i + 1) & ((std::size_t{ 1 } << bits) - 1);
	return table[i];
}

// A set of 64-bit values: a table that is at most half full.
class Seen {
public:
	explicit Seen(std::size_t capacity = 0)
	{
		clear_for(capacity);
	}

	// Empties the set, and makes it large enough for this many values.
	void clear_for(std::size_t capacity)
	{
		bits = 4;
		while (std::size_t{ 1 } << bits < 2 * capacity)
			bits++;
		table.assign(std::size_t{ 1 } << bits, 0);
		has_zero = false;
	}

	void clear()
	{
		table.assign(table.size(), 0);
		has_zero = false;
	}

	// Returns false if the value was already present.
	bool insert(std::uint64_t value)
	{
		std::uint64_t *place = find(value);
		if (place == nullptr) {
			const bool fresh = !has_zero;
			has_zero = true;
			return fresh;
		}
		if (*place == value)
			return false;
		*place = value;
		return true;
	}

	bool contains(std::uint64_t value)
	{
		const std::uint64_t *place = find(value);
		return place == nullptr ? has_zero : *place == value;
	}

private:
	// The value's place, present or not; 0, which marks a free place, has none.
	std::uint64_t *find(std::uint64_t value)
	{
		if (value == 0)
			return nullptr;
		return &place_of(table.data(), bits, value, [value](std::uint64_t x) { return x != 0 && x != value; });
	}

	unsigned int bits = 4;
	bool has_zero = false;
	std::vector<std::uint64_t> table;
};

// Served values: no two of them are equal, and none is an erased buffer's.
class Served {
public:
	explicit Served(std::size_t capacity) : seen(capacity)
	{
	}

	void add(std::uint64_t value)
	{
		zeros += value == 0;
		repeats += !seen.insert(value);
	}

	template <typename Values> void add(const Values &values, std::size_t count)
	{
		for (std::size_t i = 0; i < count; i++)
			add(values[i]);
	}

	template <typename Values> void add_all(const Values &values)
	{
		for (std::uint64_t value : values)
			add(value);
	}

	// Forgets earlier values for later comparisons.
	void forget()
	{
		seen.clear();
	}

	std::size_t bad() const
	{
		return zeros + repeats;
	}

	std::size_t zeros = 0, repeats = 0;

private:
	Seen seen;
};

// How many 8-byte windows of the outputs, at every offset, occurred before.  For n windows it is nonzero by chance with
// probability n^2 / 2^65.  A repeated run of bytes is found whatever its alignment in either output.
class Windows {
public:
	explicit Windows(std::size_t bytes) : seen(bytes)
	{
	}

	std::size_t add(const void *output, std::size_t len)
	{
		const unsigned char *p = static_cast<const unsigned char *>(output);
		std::size_t repeats = 0;
		for (std::size_t i = 0; i + 8 <= len; i++)
			repeats += !seen.insert(window_at(p + i));
		return repeats;
	}

	// How many windows of this are present, without adding it.
	std::size_t count(const void *output, std::size_t len)
	{
		const unsigned char *p = static_cast<const unsigned char *>(output);
		std::size_t found = 0;
		for (std::size_t i = 0; i + 8 <= len; i++)
			found += seen.contains(window_at(p + i));
		return found;
	}

private:
	Seen seen;
};

// Eight consecutive zero bytes at any offset, which an erased buffer serves.  False alarms: len / 2^64.
inline bool has_zero_window(const void *output, std::size_t len)
{
	const unsigned char *p = static_cast<const unsigned char *>(output);

	for (std::size_t i = 0; i + 8 <= len; i++) {
		if (window_at(p + i) == 0)
			return true;
	}
	return false;
}

#endif
