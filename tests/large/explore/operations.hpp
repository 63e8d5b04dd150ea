// SPDX-License-Identifier: BSD-2-Clause
// What is stepped through.
#ifndef CPRNG_TESTS_EXPLORE_OPERATIONS_HPP
#define CPRNG_TESTS_EXPLORE_OPERATIONS_HPP

#include <cstddef>
#include <vector>

namespace explore {

struct Output {
	unsigned char bytes[1024];
	std::size_t len = 0; // 0: nothing that differs for sure from what else is drawn (fewer than 8 bytes)
};

enum class State {
	pristine, // the library has not been used in the process
	child,    // it was used in the parent, and this process was forked from it
	warm,     // it was used
};

struct Operation {
	const char *name;
	State state;
	std::size_t left;  // bytes in the buffer before it, when it is warm
	bool buffered;     // makes sense with buffers alone
	bool strong;       // Fortuna is used before
	void (*prepare)(); // before each run, not stepped through; or nullptr
	void (*run)(Output &out);
};

const std::vector<Operation> &operations();
const Operation *find_operation(const char *name);

// What is drawn, and put into the log, at the end of a process: all that its operation may have spoilt.
void draw_afterwards(const Operation &operation);
// Enters what lies in the buffers of this process.
void log_buffers(bool dropped);
// Draws and enters as much as lies in the buffers, and what is made next.
void drain();
// Looks through the harvest queue for events that were not put there.
void check_events();
// What a handler draws; where the operation is about Fortuna it adds an event as well.
void draw_in_handler(const Operation &operation);

} // namespace explore

#endif
