// SPDX-License-Identifier: BSD-2-Clause
// What is reported of many figures: of repetitions the median and the spread, of single events the percentiles.
#ifndef CPRNG_LAB_COMMON_STATISTICS_HPP
#define CPRNG_LAB_COMMON_STATISTICS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

namespace lab {

struct spread {
	double median = 0, least = 0, most = 0;
	double deviation = 0; // the median absolute deviation
	std::size_t count = 0;
	std::vector<double> values; // of the repetitions, as they came
};

// All zero when there are none.
spread spread_of(std::vector<double> values);

// Events of nanoseconds, exactly: percentiles are found by selection and not by classes.
struct distribution {
	std::size_t count = 0;
	double mean = 0, p50 = 0, p99 = 0, p999 = 0, p99999 = 0, most = 0;
	// Events during which the scheduler did not take the CPU away.  An interrupt, and a hypervisor that runs another
	// guest, are not seen and so are counted here.
	std::size_t undisturbed = 0;
	double undisturbed_most = 0;
	std::size_t undisturbed_over_1us = 0;
	std::size_t unrecorded = 0; // found no room
};

nlohmann::ordered_json to_json(const distribution &d);
nlohmann::ordered_json to_json(const spread &s);

// Room for the times of many events, all of whose memory is there before the first: for one thread.
class samples {
public:
	explicit samples(std::size_t capacity) : values_(capacity)
	{
	}

	void add(std::uint64_t ticks, bool disturbed)
	{
		if (count_ < values_.size())
			values_[count_++] = ticks << 1 | static_cast<std::uint64_t>(disturbed);
		else
			unrecorded_++;
	}

	void clear()
	{
		count_ = unrecorded_ = 0;
	}

	// A copy that takes no more memory than it needs: if there are more than `most`, each n-th of them.
	samples thinned(std::size_t most) const;

	// Those of several threads or repetitions together.
	static distribution summarize(const std::vector<const samples *> &parts);

private:
	std::vector<std::uint64_t> values_; // twice the ticks, and one more for a disturbed event
	std::size_t count_ = 0, unrecorded_ = 0;
};

} // namespace lab

#endif
