// SPDX-License-Identifier: BSD-2-Clause
// All participants of a round, from beginning to end.
#ifndef CPRNG_SOAK_PARTICIPANTS_HPP
#define CPRNG_SOAK_PARTICIPANTS_HPP

#include "actor.hpp"

namespace soak {

struct Options {
	unsigned int threads = 4; // threads that only draw; as many others do more
	double minutes = 10;
	double round_seconds = 3;
	std::size_t memory = std::size_t{ 1 } << 30;
	long signal_interval = 15000;
	std::uint64_t seed = 0;
};

// Returns when no thread draws any more: the log is full, the time is up, or the user has interrupted.  Returns false if a
// thread hangs.
bool play(const Round &round, const Options &options);

// Ctrl-C.
void catch_interrupts();
bool interrupted();

} // namespace soak

#endif
