// SPDX-License-Identifier: BSD-2-Clause
// Draws in an interrupt handler, simulated by a signal handler.
#ifndef CPRNG_LAB_ORIGINS_STATCLOCK_STATCLOCK_HPP
#define CPRNG_LAB_ORIGINS_STATCLOCK_STATCLOCK_HPP

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "../../common/run.hpp"
#include "../../common/statistics.hpp"
#include "../placements/generators.hpp"

namespace lab::statclock {

// NetBSD's question: "Is, say, 400 cycles too long to block interrupts?"
constexpr double cycles_too_long = 400;

constexpr double interrupts_a_second = 2000; // many times a statistical clock's rate, for enough samples

struct repetition {
	distribution draw, handler; // of the draw, and of the whole handler, in the interrupts of a timer
	distribution warm;          // of the draw, in signals that the thread sends to itself one after the other
	double interval_ns;         // mean of the timer's settings
};

class row {
public:
	explicit row(const char *name);

	void run(double seconds);

	const char *name() const
	{
		return info_.name;
	}

	const std::vector<repetition> &results() const
	{
		return results_;
	}

	// All repetitions together: the draw in warm signals, the draw on the timer, and the whole timer handler.
	distribution warm() const;
	distribution draw() const;
	distribution handler() const;

private:
	const generator_info &info_;
	std::unique_ptr<generator> generator_;
	std::vector<repetition> results_;
	std::deque<samples> warm_, draw_, handler_;
};

} // namespace lab::statclock

#endif
