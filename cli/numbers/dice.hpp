// SPDX-License-Identifier: BSD-2-Clause
// Dice in the notation of games: 3d6+2, 4d6k3, 2d6*10.
#ifndef CPRNG_CLI_NUMBERS_DICE_HPP
#define CPRNG_CLI_NUMBERS_DICE_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/source.hpp"

struct dice_term {
	// +1 or -1; 0: a factor of the term before it
	int sign;
	// How many dice; with sides of 0 a constant.
	std::uint64_t count;
	std::uint64_t sides;
	// How many dice count, the highest ones or the lowest.
	std::uint64_t kept;
	bool lowest;
};

struct dice_throw {
	// Those that count, and those that do not.
	std::vector<std::uint64_t> faces;
	std::vector<std::uint64_t> dropped;
	std::int64_t sum = 0;
};

// Throws usage_error.
std::vector<dice_term> parse_dice(std::string_view text);

dice_throw throw_dice(random_source &source, const std::vector<dice_term> &terms);

#endif
