// SPDX-License-Identifier: BSD-2-Clause
// Draws of 32 bits after each of several keys, timed in new processes whose code has other addresses.
//
// The time of RC4 depends on these addresses.  It reads its table soon after stores to places that earlier reads yield, and the CPU
// predicts by the instructions' addresses whether such a read may pass the stores.
#ifndef CPRNG_LAB_PEERS_CONTENDERS_KEYS_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_KEYS_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "layouts.hpp"

namespace lab {

struct keyed_draws {
	std::string row;
	bool inlined;
	std::uint64_t draws; // of each key
	std::int64_t limit;  // bytes after which a state is rekeyed
	std::uint64_t seed;
	std::size_t keys;
};

struct run_of_keys {
	std::vector<double> ticks; // per byte under each key
	std::uint64_t keys_made;
	std::string layout;
};

// In a process of that layout; in this process if it has no other layouts.
run_of_keys time_keys(const keyed_draws &what, const layout &where);

// Serves such a process: `others-child keys ROW INLINED DRAWS LIMIT SEED KEYS`.  Returns false if these are not the arguments.
bool serve_keys(int argc, char **argv);

} // namespace lab

#endif
