// SPDX-License-Identifier: BSD-2-Clause
// Calls of every public function, with several lengths for functions that treat lengths differently.
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
	std::size_t len; // number of bytes served, in `served`; may be 0
	void (*make)();

	std::string name() const;
};

// The bytes served by a call, inputs that are equally secret, and a checkpoint of one of the streams.
extern unsigned char served[1 << 16], given[64], checkpoint[128];

// All calls.  Those that destroy what other calls need come last.
const std::vector<Call> &all();

// Establishes the calls' preconditions: streams with the key `given`, and a Fortuna object.
void prepare();
void prepare_files(); // makes no library calls
void clean_up();
void each_stream(void (*f)(const cprng_stream &));
bool possible(const Call &call);

// The library's exports, from the linker's list.
std::set<std::string> exported();

} // namespace calls

#endif
