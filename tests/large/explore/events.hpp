// SPDX-License-Identifier: BSD-2-Clause
// What happens to an operation, and how a process of an experiment begins and ends.
#ifndef CPRNG_TESTS_EXPLORE_EVENTS_HPP
#define CPRNG_TESTS_EXPLORE_EVENTS_HPP

#include "stepper.hpp"

#include <ucontext.h>

namespace explore {

// Two, so that the second may interrupt the handler of the first.
extern const int signal_first, signal_second, signal_cancel;

// A program is started at each so many boundaries: it takes a hundred times as long as the others.
constexpr std::uint32_t exec_every = 16;

bool is_member(const ucontext_t *c, int signal);

// In the step handler: have it happen to the code that was interrupted.  Signals are queued, and come when that code has
// them unblocked.  False if it cannot happen here: another thread would wait for a lock that this one holds.
bool happen(Event event, bool second);

// Everything up to the operation, and after it.
void get_ready(const Operation &operation);
[[noreturn]] void end_process();

void print_log(const Verdict &verdict, int status);

} // namespace explore

#endif
