// SPDX-License-Identifier: BSD-2-Clause
// Long outputs: several threads make pieces, one writes them in their order.
#ifndef CPRNG_CLI_OUTPUT_PUMP_HPP
#define CPRNG_CLI_OUTPUT_PUMP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>

#include "common/quantity.hpp"
#include "output/output.hpp"

struct work {
	// Make the bytes [begin, begin + size) and put them, encoded if that is wanted, at out, which is at the start of a
	// page.  Returns how many bytes are there.  Several threads call it at a time, for pieces in any order.
	std::function<std::size_t(std::uint64_t begin, std::size_t size, char *out)> make;
	// Where the first piece begins.
	std::uint64_t begin = 0;
	amount size{ 0 };
	// Pieces end at multiples of this, so that they are whole blocks of a device and whole groups of an encoding.
	std::size_t piece = 0;
	// The most that make() returns.
	std::size_t room = 0;
};

// Throws what make() throws, runtime_failure or closed_pipe.
void pump(const work &work, output &out);

#endif
