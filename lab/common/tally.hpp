// SPDX-License-Identifier: BSD-2-Clause
// The distribution of millions of short times in little memory, and exactly.
//
// An HdrHistogram has classes of some percent; its library for C is not in Debian 12.  Short times in ticks are small whole
// numbers, so here each has a counter of its own, and the few long ones are kept in a list: percentiles are those of all
// events, to the tick.
#ifndef CPRNG_LAB_COMMON_TALLY_HPP
#define CPRNG_LAB_COMMON_TALLY_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab {

class tally {
public:
	void add(std::uint64_t ticks)
	{
		if (__builtin_expect(ticks < short_end, 1))
			counts_[ticks]++;
		else
			long_.push_back(ticks);
	}

	std::uint64_t count() const;

	// The least value that at least the given part of all do not exceed; 1 gives the largest.  0 when there are none.
	std::uint64_t percentile(double part) const;

	double mean() const;

	// The largest number of ticks that divides all short times: the steps in which the counter goes.  0 for none.
	std::uint64_t step() const;

private:
	static constexpr std::size_t short_end = 1 << 14; // 64 KiB of counters: longer times are none of a draw's

	std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(short_end);
	std::vector<std::uint64_t> long_;
};

} // namespace lab

#endif
