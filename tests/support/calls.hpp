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
	std::size_t len; // bytes served, in `served`; 0: none
	void (*make)();

	std::string name() const;
};

// Bytes served by a call; equally secret inputs; and a checkpoint of one of the streams.
extern unsigned char served[1 << 16], given[64], checkpoint[128];

// Calls that end what other calls need come last.
const std::vector<Call> &all();

// Their preconditions: streams with the key `given`, and a Fortuna object.
void prepare();
void prepare_files(); // without library calls
void clean_up();
void each_stream(void (*f)(const cprng_stream &));
bool possible(const Call &call);

// The library's exports, from the linker's list.
std::set<std::string> exported();

} // namespace calls

#endif
