// SPDX-License-Identifier: BSD-2-Clause
// Does anything stand twice in the logs?
//
// Compared are windows of 8 bytes: in rounds of one width at every draw's place (32 bits: each two draws in a row; 64 bits:
// each draw; 16 bytes: both halves of each), so that every 128-bit output of the round is in the set.  In rounds of any
// length at every byte: those whose content falls into a quarter of all, which two copies do alike, however they are
// aligned; of a repeated run of n bytes that misses (3/4)^(n - 7).
#ifndef CPRNG_SOAK_CHECK_HPP
#define CPRNG_SOAK_CHECK_HPP

#include "logs.hpp"

#include <string>
#include <vector>

namespace soak {

// A run of bytes that stands at two places.
struct Repeat {
	std::uint32_t segment[2];
	std::size_t at[2]; // of its first byte
	std::size_t len;
	double apart; // seconds between the times at which the segments were written to
	bool certain; // not by chance: longer than a window, or two draws of 64 bits of about the same time
};

struct Finding {
	std::vector<Repeat> repeats; // the longest first; not all of them if there are too many
	std::uint64_t windows = 0, repeated = 0, zeros = 0;
	std::uint64_t words = 0, words_repeated = 0, words_zero = 0; // of single draws of 32 bits
	double words_repeated_by_chance = 0;
	double by_chance = 0;         // repeated windows that are expected by chance,
	double certain_by_chance = 0; // and of these such that would be called certain
};

class Checker {
public:
	// So many bytes for the windows; the logs is gone through as often as it takes.
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
// With the bytes around.
std::string evidence(const Repeat &repeat);

} // namespace soak

#endif
