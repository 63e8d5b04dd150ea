// SPDX-License-Identifier: BSD-2-Clause
// An experiment's state in a process, shared by the step handler (stepper.cpp) and the events (events.cpp).
#ifndef CPRNG_TESTS_EXPLORE_STATE_HPP
#define CPRNG_TESTS_EXPLORE_STATE_HPP

#include "../support/steps.hpp"
#include "../support/descriptors.hpp"
#include "stepper.hpp"

#include <cstdint>

#include <sys/types.h>

namespace explore {

enum class Level : std::uint8_t {
	first,  // steps through the operation, for the first event
	second, // steps through the code after the first event, for the second
	free,   // runs at full speed
};

struct ProcessState {
	const Operation *operation;
	Level level;
	Event first;              // the first event of this experiment
	Event event;              // the latest event
	bool is_second;           // whether the latest event is the second
	bool happened;            // whether the event is over
	bool waits;               // whether the event is due at the next boundary where it is possible
	bool walks_on;            // whether the process continues to step after the event
	volatile bool in_library; // excludes the explorer's own instructions
	bool steps_draws;         // of the current handler
	std::uint16_t process;
	std::uint16_t waits_for_me; // number of the child that waits for this process's end; 0: none
	std::uint32_t step;         // boundaries since the operation began, in this process and its ancestors
	std::uint32_t first_at;
	std::uint32_t near_from; // the first event, or the return of its handler
	std::uintptr_t pc_first;
	const sequence::Descriptor *inside; // at the last trap: the current sequence
	std::uint32_t children;
	pid_t child[4];
};
extern ProcessState state;

void catch_traps();

[[noreturn]] void leave_operation();

} // namespace explore

#endif
