// SPDX-License-Identifier: BSD-2-Clause
// The operations that are stepped through.
#ifndef CPRNG_TESTS_EXPLORE_OPERATIONS_HPP
#define CPRNG_TESTS_EXPLORE_OPERATIONS_HPP

#include <cstddef>
#include <vector>

namespace explore {

struct Output {
	alignas(double) unsigned char bytes[4096];
	std::size_t len = 0; // 0: fewer than 8 bytes, which need not be unique
};

enum class State {
	pristine, // the library has not been used in the process
	child,    // it was used in the parent of this forked process
	warm,     // it was used in this process
};

struct Operation {
	const char *name;
	State state;
	std::size_t left;  // bytes in the buffer before the operation, if warm
	bool buffered;     // whether it requires buffers
	bool strong;       // whether Fortuna is used before
	void (*prepare)(); // called before each run, not stepped through; may be nullptr
	void (*run)(Output &out);
};

const std::vector<Operation> &operations();
const Operation *find_operation(const char *name);

// Draws and logs everything that the operation may have corrupted; called at a process's end.
void draw_afterwards(const Operation &operation);
// Logs the buffered bytes of this process.
void log_buffers(bool dropped);
// Draws and logs the buffered bytes and the next refill's output.
void drain();
// Searches the harvest queue for events that were not put there.
void check_events();
// A handler's draw.  If the operation uses Fortuna, it also adds an event.
void draw_in_handler(const Operation &operation);

} // namespace explore

#endif
