// SPDX-License-Identifier: BSD-2-Clause
// Dice in the notation of games: 3d6+2.
#ifndef CPRNG_CLI_NUMBERS_DICE_HPP
#define CPRNG_CLI_NUMBERS_DICE_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/source.hpp"

struct dice_term {
	// +1 or -1
	int sign;
	// How many dice; with sides of 0 a constant.
	std::uint64_t count;
	std::uint64_t sides;
};

struct dice_throw {
	std::vector<std::uint64_t> faces;
	std::int64_t sum = 0;
};

// Throws usage_error.
std::vector<dice_term> parse_dice(std::string_view text);

dice_throw throw_dice(random_source &source, const std::vector<dice_term> &terms);

#endif
