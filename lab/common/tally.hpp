// SPDX-License-Identifier: BSD-2-Clause
// The exact distribution of millions of short times, in little memory.
//
// An HdrHistogram has classes of some per cent; its C library is not in Debian 12.  Short times in ticks are small
// integers, so each has its own counter, and a list holds the few long ones: percentiles are exact to the tick.
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

	// The least value that at least the given fraction of all does not exceed; 1 gives the largest.  0 if there are none.
	std::uint64_t percentile(double part) const;

	double mean() const;

	// The greatest common divisor of all short times in ticks: the counter's step.  0 if there are none.
	std::uint64_t step() const;

private:
	static constexpr std::size_t short_end = 1 << 14; // 64 KiB of counters: no draw takes longer

	std::vector<std::uint32_t> counts_ = std::vector<std::uint32_t>(short_end);
	std::vector<std::uint64_t> long_;
};

} // namespace lab

#endif
