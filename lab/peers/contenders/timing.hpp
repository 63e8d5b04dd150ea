// SPDX-License-Identifier: BSD-2-Clause
// How contenders are timed.
#ifndef CPRNG_LAB_PEERS_CONTENDERS_TIMING_HPP
#define CPRNG_LAB_PEERS_CONTENDERS_TIMING_HPP

#include "contender.hpp"

namespace lab {

// The number of calls that take about that long, after a warm-up call.
std::uint64_t calls_for(contender &c, const work &w, double seconds);

// Calls per second in that many threads, each with its own contender and buffer, by wall time from the first start to
// the last end; 0 if interrupted.
double calls_a_second(const std::function<std::unique_ptr<contender>()> &make, const work &w, unsigned int threads,
		      double seconds);

} // namespace lab

#endif
