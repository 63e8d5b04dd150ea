// SPDX-License-Identifier: BSD-2-Clause
// What draws cost in a loop, by the cycle counter.
#ifndef CPRNG_LAB_PLACEMENTS_COST_HPP
#define CPRNG_LAB_PLACEMENTS_COST_HPP

#include <algorithm>
#include <cstdint>

#include "../common/clock.hpp"

namespace lab {

// Times work in batches, and takes the mean of those in which the scheduler did not take the CPU away.
class undisturbed {
public:
	template <typename Work> void batch(const Work &work)
	{
		const std::uint64_t switches = involuntary_switches(), begin = ticks();
		work();
		const std::uint64_t took = ticks() - begin;
		const int which = involuntary_switches() != switches;
		ticks_[which] += static_cast<double>(took);
		batches_[which]++;
	}

	// Ticks of a batch; of all, if the CPU was taken away in each.
	double mean() const
	{
		const int which = batches_[0] == 0;
		return ticks_[which] / static_cast<double>(std::max<std::uint64_t>(batches_[which], 1));
	}

	std::uint64_t left_out() const
	{
		return batches_[0] == 0 ? 0 : batches_[1];
	}

private:
	double ticks_[2] = {};
	std::uint64_t batches_[2] = {};
};

constexpr std::uint64_t draws_of_a_batch = 1000; // some microseconds: as many refills of a small buffer as in the mean

// Ticks of a draw of 32 bits, in a loop of so many.
template <typename Generator> double ticks_of_draw(Generator &g, std::uint64_t draws)
{
	undisturbed all;
	for (std::uint64_t done = 0; done < draws; done += draws_of_a_batch)
		all.batch([&g] { g.draw(draws_of_a_batch); });
	return all.mean() / draws_of_a_batch;
}

} // namespace lab

#endif
