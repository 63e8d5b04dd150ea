// SPDX-License-Identifier: BSD-2-Clause
// Memory whose pages are mapped when first touched: a SIGSEGV handler maps each page.  For scenarios (scenario.hpp).
#ifndef CPRNG_TESTS_LATE_PAGES_HPP
#define CPRNG_TESTS_LATE_PAGES_HPP

#include <csignal>
#include <cstddef>

namespace late_pages {

extern std::size_t page;
extern unsigned char *memory;
extern std::size_t memory_len; // in bytes, a multiple of the page size
extern volatile std::sig_atomic_t faulted;
// For a fault during a read: when the last page is touched, the first page is unmapped again.
extern bool take_away_first;
// Called by the handler after it has mapped the page at this offset.
extern void (*in_handler)(std::size_t offset);

// Reserves memory for len bytes, and installs the handler.
void begin(std::size_t len);

} // namespace late_pages

#endif
