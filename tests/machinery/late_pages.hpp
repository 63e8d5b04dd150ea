// SPDX-License-Identifier: BSD-2-Clause
// Memory of a program that maps pages when they are first touched: no page is accessible before a handler for SIGSEGV has
// made it so.  For scenarios (scenario.hpp).
#ifndef CPRNG_TESTS_LATE_PAGES_HPP
#define CPRNG_TESTS_LATE_PAGES_HPP

#include <csignal>
#include <cstddef>

namespace late_pages {

extern std::size_t page;
extern unsigned char *memory;
extern std::size_t memory_len; // whole pages
extern volatile std::sig_atomic_t faulted;
// For a fault in the middle of a read, when the last page is touched the first is taken away again.
extern bool take_away_first;
// What else the handler does, after the page at this offset was mapped.
extern void (*in_handler)(std::size_t offset);

// Memory for len bytes, and the handler.
void begin(std::size_t len);

} // namespace late_pages

#endif
