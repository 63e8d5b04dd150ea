// SPDX-License-Identifier: BSD-2-Clause
// Judges what an experiment left in its log: the 8-byte windows at every offset, each against all others.
#ifndef CPRNG_TESTS_EXPLORE_ORACLE_HPP
#define CPRNG_TESTS_EXPLORE_ORACLE_HPP

#include "log.hpp"

#include <cstdint>

namespace explore {

enum class Flaw : std::uint8_t {
	none,
	zeros,        // eight zero bytes were served
	repeated,     // the same bytes were served by two draws
	in_part,      // two copies of one draw, made by a fork in its middle, have a part in common and not the whole
	ready_served, // bytes lie ready that were served already, here or elsewhere
	ready_twice,  // bytes lie ready in two processes
	stale,        // bytes from before an invalidation were served by a draw after it
	torn,         // an event in the harvest queue is not one that was put there
	died,         // a process was killed by a signal, or did not end with status 0
	hung,         // no process of the experiment went on for two minutes
	overflowed,   // the log was too small: an error of the explorer
};
constexpr std::size_t flaws = static_cast<std::size_t>(Flaw::overflowed) + 1;

const char *name_of(Flaw flaw);

struct Verdict {
	Flaw flaw = Flaw::none;
	// Entries of the log, and where in them; of zeros only the second.
	std::uint32_t first = 0, second = 0, first_at = 0, second_at = 0;
};

// An open table, in shared memory so that no fork copies what the last check wrote.
struct Table {
	struct Place {
		std::uint64_t window;
		std::uint32_t stamp; // of the check that wrote it
		std::uint16_t entry;
		std::uint16_t at;
	};
	std::uint32_t stamp;
	Place place[std::size_t{ 1 } << 16];
};

Verdict judge(const Log &log, Table &table);

} // namespace explore

#endif
