// SPDX-License-Identifier: BSD-2-Clause
// The bytes that all processes of an experiment received, in shared memory.  One process runs at a time, so no lock is needed.
#ifndef CPRNG_TESTS_EXPLORE_LOG_HPP
#define CPRNG_TESTS_EXPLORE_LOG_HPP

#include <cstddef>
#include <cstdint>

namespace explore {

enum class Kind : std::uint8_t {
	served,  // returned by a draw
	drained, // buffered bytes, drawn at a process's end
	ready,   // buffered at a process's end, for the next draw
	dropped, // buffered when the buffer was invalidated
};

struct Entry {
	Kind kind;
	std::uint16_t process;
	// The draw's number, assigned at its beginning: a fork during the draw gives two draws with the same number.
	std::uint32_t instance;
	std::uint32_t at, len;
};

struct Log {
	std::uint32_t entries, bytes;
	std::uint32_t processes; // numbers assigned so far
	std::uint32_t instances;
	std::uint32_t torn; // queued events that no process put in that form
	std::uint32_t lost; // entries that did not fit
	Entry entry[2048];
	unsigned char data[std::size_t{ 1 } << 18];

	void add(Kind kind, std::uint16_t process, std::uint32_t instance, const void *bytes, std::size_t len);
};

// A position in the log, to which it returns before the next experiment.  Numbers continue.
struct Mark {
	std::uint32_t entries, bytes;
};

Mark mark_of(const Log &log);
void go_back(Log &log, const Mark &mark);

} // namespace explore

#endif
