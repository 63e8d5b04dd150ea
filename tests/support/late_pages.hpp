// SPDX-License-Identifier: BSD-2-Clause
// A program's memory whose pages are mapped when first touched: a page is accessible only after a SIGSEGV handler has
// mapped it.  For scenarios (scenario.hpp).
#ifndef CPRNG_TESTS_LATE_PAGES_HPP
#define CPRNG_TESTS_LATE_PAGES_HPP

#include <csignal>
#include <cstddef>

namespace late_pages {

extern std::size_t page;
extern unsigned char *memory;
extern std::size_t memory_len; // whole pages
extern volatile std::sig_atomic_t faulted;
// For a fault during a read: when the last page is touched, the first is unmapped again.
extern bool take_away_first;
// An additional action of the handler, after the page at this offset was mapped.
extern void (*in_handler)(std::size_t offset);

// Reserves memory for len bytes, and installs the handler.
void begin(std::size_t len);

} // namespace late_pages

#endif
