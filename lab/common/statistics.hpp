// SPDX-License-Identifier: BSD-2-Clause
// Summaries: median and spread of repetitions, percentiles of single events.
#ifndef CPRNG_LAB_COMMON_STATISTICS_HPP
#define CPRNG_LAB_COMMON_STATISTICS_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

namespace lab {

struct spread {
	double median = 0, least = 0, most = 0;
	double deviation = 0; // the median absolute deviation
	std::size_t count = 0;
	std::vector<double> values; // of the repetitions, in order
};

// All zero for an empty list.
spread spread_of(std::vector<double> values);

// A value of each, such as a member of each repetition.
template <typename List, typename Value> std::vector<double> values_of(const List &all, Value value)
{
	std::vector<double> values;
	for (const auto &one : all)
		values.push_back(std::invoke(value, one));
	return values;
}

// Each value divided by the other list's; as many as the shorter list has.
std::vector<double> quotients(std::vector<double> of, const std::vector<double> &by);

// Event times in nanoseconds; percentiles are exact, found by selection and not by classes.
struct distribution {
	std::size_t count = 0;
	double mean = 0, p50 = 0, p99 = 0, p999 = 0, p99999 = 0, most = 0;
	// Events without an involuntary context switch.  Interrupts, and a hypervisor that runs another guest, cannot
	// be seen and are included.
	std::size_t undisturbed = 0;
	double undisturbed_most = 0;
	std::size_t undisturbed_over_1us = 0;
	std::size_t unrecorded = 0; // that did not fit
};

nlohmann::ordered_json to_json(const distribution &d);
nlohmann::ordered_json to_json(const spread &s);

// Times of many events, in memory allocated beforehand; for one thread.
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

	// A copy that fits its memory exactly: every n-th value if there are more than `most`.
	samples thinned(std::size_t most) const;

	// Merges the samples of several threads or repetitions.
	static distribution summarize(const std::vector<const samples *> &parts);
	static distribution summarize(const std::deque<samples> &parts);

private:
	std::vector<std::uint64_t> values_; // twice the ticks, plus one for a disturbed event
	std::size_t count_ = 0, unrecorded_ = 0;
};

} // namespace lab

#endif
