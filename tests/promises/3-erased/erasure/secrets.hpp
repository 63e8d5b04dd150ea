// SPDX-License-Identifier: BSD-2-Clause
// What a subject has reported of its secrets, as sets of 8-byte windows; and what may be where.
#ifndef CPRNG_TESTS_SECRETS_HPP
#define CPRNG_TESTS_SECRETS_HPP

#include "channel.hpp"

#include "../../../machinery/repeats.hpp"

#include <array>
#include <bitset>
#include <memory>
#include <set>
#include <string>
#include <vector>

// A set that says no at once to most of what is not in it.
class Filtered {
public:
	void add(const unsigned char *bytes, std::size_t len);
	void add(std::uint64_t window);

	bool contains(std::uint64_t window)
	{
		return (*filter)[hash(window)] && seen.contains(window);
	}

private:
	static constexpr unsigned int filter_bits = 24; // 2 MiB
	static std::size_t hash(std::uint64_t v)
	{
		return static_cast<std::size_t>(v * UINT64_C(0xd6e8feb86659fd93) >> (64 - filter_bits));
	}

	Seen seen{ std::size_t{ 1 } << 21 };
	std::unique_ptr<std::bitset<std::size_t{ 1 } << filter_bits>> filter =
		std::make_unique<std::bitset<std::size_t{ 1 } << filter_bits>>();
};

class Secrets {
public:
	// The engine by which keys become keystream.
	Secrets(const char *engine, const char *backend);

	// What was logged since the last time.  `live` is what the buffers hold as keys now: they are used later.
	void learn(const channel::Shared &shared, const std::set<std::array<unsigned char, 32>> &live);

	// To be nowhere.
	bool gone(std::uint64_t window)
	{
		return gone_windows.contains(window);
	}

	// To be nowhere but in the library's own pages.
	bool hidden(std::uint64_t window)
	{
		return hidden_windows.contains(window);
	}

	// Which it is: for messages.
	std::string name(const channel::Shared &shared, std::uint64_t window) const;

private:
	void learn_key(const unsigned char *key);

	const char *engine, *backend;
	std::size_t understood = 0; // of the log
	Filtered gone_windows, hidden_windows;
	std::set<std::array<unsigned char, 32>> next_keys; // not seen to be used yet
};

#endif
