// SPDX-License-Identifier: BSD-2-Clause
// A call of every public function, and more calls of functions that go other ways for other lengths.
#ifndef CPRNG_TESTS_CALLS_HPP
#define CPRNG_TESTS_CALLS_HPP

#include <cprng/cprng.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace calls {

struct Call {
	const char *function;
	std::size_t len; // of what it serves, which is in `served` then; 0: nothing
	void (*make)();

	std::string name() const;
};

// What a call has served; what it is given that is as secret; a checkpoint that is one of the streams' now.
extern unsigned char served[1 << 16], given[64], checkpoint[128];

// Calls that end what others need come last.
const std::vector<Call> &all();

// What they need: streams with the key `given`, and an object of Fortuna's.
void prepare();
void prepare_files(); // what is no call of the library
void clean_up();
void each_stream(void (*f)(const cprng_stream &));
bool possible(const Call &call);

// What the library exports, by the linker's list.
std::set<std::string> exported();

} // namespace calls

#endif
