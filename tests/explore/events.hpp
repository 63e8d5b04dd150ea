// SPDX-License-Identifier: BSD-2-Clause
// The events that can interrupt an operation, and the beginning and end of an experiment's processes.
#ifndef CPRNG_TESTS_EXPLORE_EVENTS_HPP
#define CPRNG_TESTS_EXPLORE_EVENTS_HPP

#include "stepper.hpp"

#include <ucontext.h>

namespace explore {

// Two signals, so that the second may interrupt the first's handler.
extern const int signal_first, signal_second, signal_cancel;

// A program is started only at every n-th boundary, since that takes a hundred times as long as other events.
constexpr std::uint32_t exec_every = 16;

bool is_member(const ucontext_t *c, int signal);

// Called in the step handler: makes the event happen to the interrupted code.  Signals are queued and arrive when that code
// unblocks them.  Returns false if the event is impossible here because another thread would wait for a lock of this one.
bool happen(Event event, bool second);

// The work before and after the operation.
void get_ready(const Operation &operation);
[[noreturn]] void end_process();

void print_log(const Verdict &verdict, int status);

} // namespace explore

#endif
