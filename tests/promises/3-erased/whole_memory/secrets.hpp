// SPDX-License-Identifier: BSD-2-Clause
// The secrets that a subject has reported, as sets of 8-byte windows, and the places where they may be.
#ifndef CPRNG_TESTS_SECRETS_HPP
#define CPRNG_TESTS_SECRETS_HPP

#include "channel.hpp"

#include "../../../support/repeats.hpp"

#include <array>
#include <bitset>
#include <memory>
#include <set>
#include <string>
#include <vector>

// A set with a filter that quickly rejects most absent values.
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
	// The engine that expands the keys.
	Secrets(const char *engine, const char *backend);

	// Reads new log entries.  `live`: the keys that buffers hold now, for later use.
	void learn(const channel::Shared &shared, const std::set<std::array<unsigned char, 32>> &live);

	// Secrets that must be nowhere in memory.
	bool gone(std::uint64_t window)
	{
		return gone_windows.contains(window);
	}

	// Secrets that may be only in the library's own pages.
	bool hidden(std::uint64_t window)
	{
		return hidden_windows.contains(window);
	}

	// The secret's kind, for messages.
	std::string name(const channel::Shared &shared, std::uint64_t window) const;

private:
	void learn_key(const unsigned char *key, const unsigned char *start);

	const char *engine, *backend;
	std::size_t understood = 0; // bytes of the log read so far
	Filtered gone_windows, hidden_windows;
	std::array<unsigned char, 32> last_key = {};       // last in the log; its keystream position follows
	std::set<std::array<unsigned char, 32>> next_keys; // keys not used yet
};

#endif
