// SPDX-License-Identifier: BSD-2-Clause
// Random intervals between the interrupts of a statistical clock.
#ifndef CPRNG_LAB_ORIGINS_STATCLOCK_INTERVALS_HPP
#define CPRNG_LAB_ORIGINS_STATCLOCK_INTERVALS_HPP

#include <cstdint>

namespace lab::statclock {

// From half a period to one and a half.  A separate generator (SplitMix64, a few instructions) ensures that the
// handlers of all rows, including the one that draws nothing, are interrupted equally often.
class intervals {
public:
	intervals(std::uint64_t seed, std::uint32_t period_ns) : state_(seed), period_ns_(period_ns)
	{
	}

	std::uint32_t next_ns()
	{
		state_ += 0x9e3779b97f4a7c15;
		std::uint64_t x = state_;
		x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
		x = (x ^ x >> 27) * 0x94d049bb133111eb;
		x ^= x >> 31;
		return period_ns_ / 2 + static_cast<std::uint32_t>((x >> 32) * period_ns_ >> 32);
	}

private:
	std::uint64_t state_;
	std::uint32_t period_ns_;
};

} // namespace lab::statclock

#endif
