// SPDX-License-Identifier: BSD-2-Clause
// Judges an experiment's log: compares the 8-byte windows at every offset with each other.
#ifndef CPRNG_TESTS_EXPLORE_ORACLE_HPP
#define CPRNG_TESTS_EXPLORE_ORACLE_HPP

#include "log.hpp"

#include <cstdint>

namespace explore {

enum class Flaw : std::uint8_t {
	none,
	zeros,        // eight zero bytes were served
	repeated,     // two draws served the same bytes
	in_part,      // two copies of one draw, made by a fork during it, share a part but not the whole
	ready_served, // buffered bytes were already served, here or elsewhere
	ready_twice,  // bytes are buffered in two processes
	stale,        // a draw after an invalidation served earlier bytes
	torn,         // an event in the harvest queue is not one that was put there
	died,         // a process was killed by a signal, or did not end with status 0
	hung,         // no process of the experiment made progress for two minutes
	overflowed,   // the log was too small: an error of the explorer
};
constexpr std::size_t flaws = static_cast<std::size_t>(Flaw::overflowed) + 1;

const char *name_of(Flaw flaw);

struct Verdict {
	Flaw flaw = Flaw::none;
	bool whole = false; // no flaw: two copies of one draw, made by a fork in its last instructions, are the same
	// Log entries and offsets in them; zeros use only the second.
	std::uint32_t first = 0, second = 0, first_at = 0, second_at = 0;
};

// A table of windows (tests/support/repeats.hpp), in shared memory so that forks do not copy it.
struct Table {
	struct Place {
		std::uint64_t window;
		std::uint32_t stamp; // identifies the check that wrote it
		std::uint16_t entry;
		std::uint16_t at;
	};
	static constexpr unsigned int bits = 16;
	std::uint32_t stamp;
	Place place[std::size_t{ 1 } << bits];
};

Verdict judge(const Log &log, Table &table);

} // namespace explore

#endif
