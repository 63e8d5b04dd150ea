// SPDX-License-Identifier: BSD-2-Clause
// The cost of draws in a loop, by the cycle counter.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_COST_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_COST_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../common/clock.hpp"
#include "../../common/statistics.hpp"

namespace lab {

// Times work in batches, and averages those without an involuntary context switch that took at most twice the median:
// longer ones contain an interrupt, or a hypervisor ran another guest.
class undisturbed {
public:
	template <typename Work> void batch(const Work &work)
	{
		const std::uint64_t switches = involuntary_switches(), begin = ticks();
		work();
		const auto took = static_cast<double>(ticks() - begin);
		(involuntary_switches() != switches ? others_ : ticks_).push_back(took);
	}

	// Ticks per batch; over all batches if each was preempted.
	double mean() const
	{
		const std::vector<double> &all = ticks_.empty() ? others_ : ticks_;
		const double most = 2 * spread_of(all).median;
		double sum = 0;
		std::size_t count = 0;
		for (const double one : all) {
			sum += one <= most ? one : 0;
			count += one <= most;
		}
		return sum / static_cast<double>(std::max<std::size_t>(count, 1));
	}

private:
	std::vector<double> ticks_, others_;
};

constexpr std::uint64_t draws_of_a_batch = 1000; // some microseconds, with an average number of refills

// Ticks per 32-bit draw, in a loop of this many.
template <typename Generator> double ticks_of_draw(Generator &g, std::uint64_t draws)
{
	undisturbed all;
	for (std::uint64_t done = 0; done < draws; done += draws_of_a_batch)
		all.batch([&g] { g.draw(draws_of_a_batch); });
	return all.mean() / draws_of_a_batch;
}

} // namespace lab

#endif
