// SPDX-License-Identifier: BSD-2-Clause
// What all processes of an experiment were given, in memory that they share.  One process of an experiment runs at a
// time, so nothing here needs a lock.
#ifndef CPRNG_TESTS_EXPLORE_LOG_HPP
#define CPRNG_TESTS_EXPLORE_LOG_HPP

#include <cstddef>
#include <cstdint>

namespace explore {

enum class Kind : std::uint8_t {
	served,  // by a draw that returned
	drained, // the same, at the end of a process: what lay ready in its buffers before
	ready,   // lies in a buffer of the process at its end, for the next draw
	dropped, // lay in a buffer when it was invalidated
};

struct Entry {
	Kind kind;
	std::uint16_t process;
	// Of the draw.  Numbered when it begins: a fork in its middle gives two draws of the same number.
	std::uint32_t instance;
	std::uint32_t at, len;
};

struct Log {
	std::uint32_t entries, bytes;
	std::uint32_t processes; // so many numbers are given
	std::uint32_t instances;
	std::uint32_t torn; // events in a queue that no process put there like that
	std::uint32_t lost; // entries for which there was no room
	Entry entry[2048];
	unsigned char data[std::size_t{ 1 } << 18];

	void add(Kind kind, std::uint16_t process, std::uint32_t instance, const void *bytes, std::size_t len);
};

// Where a log was, to go back to before the next experiment.  Numbers go on.
struct Mark {
	std::uint32_t entries, bytes;
};

Mark mark_of(const Log &log);
void go_back(Log &log, const Mark &mark);

} // namespace explore

#endif
