// SPDX-License-Identifier: BSD-2-Clause
// Searches the logs for repeats.
//
// It compares windows of 8 bytes.  In rounds of one width, windows at every draw's place (32 bits: each two consecutive
// draws; 64 bits: each draw; 16 bytes: both halves of each), so that every 128-bit output of the round is in the set.
// In rounds of any length, windows at every byte whose content falls into a quarter of all contents: two copies select
// the same ones, whatever their alignment; a repeated run of n bytes is missed with (3/4)^(n - 7).
#ifndef CPRNG_SOAK_CHECK_HPP
#define CPRNG_SOAK_CHECK_HPP

#include "logs.hpp"

#include <string>
#include <vector>

namespace soak {

// A run of bytes at two places.
struct Repeat {
	std::uint32_t segment[2];
	std::size_t at[2]; // places of its first byte
	std::size_t len;
	double apart; // seconds between the segments' writing times
	bool certain; // not chance: longer than a window, or two 64-bit draws from about the same time
};

struct Finding {
	std::vector<Repeat> repeats; // the longest first; truncated if there are too many
	std::uint64_t windows = 0, repeated = 0, zeros = 0;
	std::uint64_t words = 0, words_repeated = 0, words_zero = 0; // of single draws of 32 bits
	double words_repeated_by_chance = 0;
	double by_chance = 0;         // windows expected to repeat by chance,
	double certain_by_chance = 0; // and repeats that would be called certain
};

class Checker {
public:
	// Memory for the windows in bytes; the logs are read as often as needed.
	explicit Checker(std::size_t memory);
	~Checker();
	Checker(const Checker &) = delete;
	Checker &operator=(const Checker &) = delete;

	// Call it while no participant draws.
	Finding check(Mix mix, double round_seconds);

private:
	std::uint64_t *windows_;
	std::size_t room_;
	unsigned int threads_;
};

std::string describe(const Repeat &repeat);
// With the surrounding bytes.
std::string evidence(const Repeat &repeat);

} // namespace soak

#endif
