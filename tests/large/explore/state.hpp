// SPDX-License-Identifier: BSD-2-Clause
// What a process of an experiment knows of itself, between the step handler (stepper.cpp) and the events (events.cpp).
#ifndef CPRNG_TESTS_EXPLORE_STATE_HPP
#define CPRNG_TESTS_EXPLORE_STATE_HPP

#include "../../machinery/steps.hpp"
#include "sequence.hpp"
#include "stepper.hpp"

#include <cstdint>

#include <sys/types.h>

namespace explore {

enum class Level : std::uint8_t {
	first,  // walks through the operation, for the first event
	second, // walks through what runs on after it, for the second
	free,   // runs on
};

struct ProcessState {
	const Operation *operation;
	Level level;
	Event first;              // the first event of this experiment
	Event event;              // the last
	bool is_second;           // it is the second
	bool happened;            // it is over
	bool waits;               // it is due at the next boundary where it can happen
	bool walks_on;            // the process steps on after it
	volatile bool in_library; // nothing happens to the explorer's own instructions before and after
	bool steps_draws;         // of the handler that runs
	std::uint16_t process;
	std::uint16_t waits_for_me; // the child that ends after this process; 0: none
	std::uint32_t step;         // boundaries since the operation began, in this process and those before
	std::uint32_t first_at;
	std::uint32_t near_from; // the first event, or the return of its handler
	std::uintptr_t pc_first;
	const sequence::Descriptor *inside; // of the last trap: the sequence that is stepped through
	std::uint32_t children;
	pid_t child[4];
};
extern ProcessState state;

void catch_traps();

[[noreturn]] void leave_operation();

} // namespace explore

#endif
