// SPDX-License-Identifier: BSD-2-Clause
// How contenders are timed.
#ifndef CPRNG_LAB_CONTENDERS_TIMING_HPP
#define CPRNG_LAB_CONTENDERS_TIMING_HPP

#include "contender.hpp"

namespace lab {

// How many calls take about so long, after one that sets things up.
std::uint64_t calls_for(contender &c, const work &w, double seconds);

// In so many threads, each with a contender and a buffer of its own, by wall time from the first beginning to the last
// end; 0 when that was interrupted.
double calls_a_second(const std::function<std::unique_ptr<contender>()> &make, const work &w, unsigned int threads,
		      double seconds);

} // namespace lab

#endif
