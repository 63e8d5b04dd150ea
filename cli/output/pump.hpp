// SPDX-License-Identifier: BSD-2-Clause
// Long outputs: several threads make pieces, and one thread writes them in order.
#ifndef CPRNG_CLI_OUTPUT_PUMP_HPP
#define CPRNG_CLI_OUTPUT_PUMP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/quantity.hpp"
#include "output/output.hpp"

struct work {
	// Make the bytes [begin, begin + size) and put them, possibly encoded, at out, which is page-aligned.  Returns
	// the number of bytes there.  Several threads call it at once, for pieces in any order.
	std::function<std::size_t(std::uint64_t begin, std::size_t size, char *out)> make;
	// The first piece's offset.
	std::uint64_t begin = 0;
	amount size{ 0 };
	// Piece boundaries are multiples of this: whole device blocks and whole encoding groups.
	std::size_t piece = 0;
	// The upper bound of make()'s result.
	std::size_t room = 0;
};

// Throws what make() throws, runtime_failure or closed_pipe.
void pump(const work &work, output &out);

#endif
