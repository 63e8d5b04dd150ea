// SPDX-License-Identifier: BSD-2-Clause
// Draws that are logged.
#ifndef CPRNG_SOAK_DRAWS_HPP
#define CPRNG_SOAK_DRAWS_HPP

#include "logs.hpp"
#include "choices.hpp"

#include <csignal>

namespace soak {

// This thread's current draw, for a signal handler to see.
enum Busy : std::sig_atomic_t { not_busy, in_refill, in_short, in_long, in_strong };
extern thread_local volatile std::sig_atomic_t busy;

// Forgets the draw after a jump out of it or a fork in it.
void forget_draws();

// The length of the mix's next draw, and that draw, written to `low`.
std::size_t next_length(Mix mix, Choices *choices);
constexpr std::size_t longest = std::size_t{ 5 } << 18;
void draw(Mix mix, Log *log, Choices *choices, unsigned char *low, std::size_t len);

// One draw by cprng_strong; rounds of every mix make some.
void draw_strong(Log *log, Choices *choices);

// Makes this many draws; returns false when the round is over.  A signal handler may interrupt it anywhere and jump out of it.
bool draw_many(Mix mix, Log *log, Choices *choices, unsigned long n);

} // namespace soak

#endif
