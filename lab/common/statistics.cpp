// SPDX-License-Identifier: BSD-2-Clause
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "clock.hpp"

namespace lab {

namespace {

double median_of(std::vector<double> &values)
{
	const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
	std::nth_element(values.begin(), half, values.end());
	if (values.size() % 2 != 0)
		return *half;
	return (*half + *std::max_element(values.begin(), half)) / 2;
}

// The quantile: the least value that at least this fraction of the values does not exceed.
std::uint64_t percentile(std::vector<std::uint64_t> &values, double part)
{
	const double rank = std::ceil(part * static_cast<double>(values.size()));
	const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
	std::nth_element(values.begin(), at, values.end());
	return *at;
}

} // namespace

spread spread_of(std::vector<double> values)
{
	spread s;
	s.count = values.size();
	s.values = values;
	if (values.empty())
		return s;
	const auto [least, most] = std::minmax_element(values.begin(), values.end());
	s.least = *least;
	s.most = *most;
	s.median = median_of(values);
	for (double &value : values)
		value = std::abs(value - s.median);
	s.deviation = median_of(values);
	return s;
}

std::vector<double> quotients(std::vector<double> of, const std::vector<double> &by)
{
	of.resize(std::min(of.size(), by.size()));
	std::transform(of.begin(), of.end(), by.begin(), of.begin(), [](double a, double b) { return a / b; });
	return of;
}

samples samples::thinned(std::size_t most) const
{
	const std::size_t step = std::max((count_ + most - 1) / most, std::size_t{ 1 });
	samples copy((count_ + step - 1) / step);
	for (std::size_t i = 0; i < count_; i += step)
		copy.values_[copy.count_++] = values_[i];
	copy.unrecorded_ = unrecorded_;
	return copy;
}

distribution samples::summarize(const std::vector<const samples *> &parts)
{
	distribution d;
	std::vector<std::uint64_t> all;
	std::uint64_t undisturbed_most = 0;
	const double ns = ns_per_tick();
	for (const samples *part : parts) {
		d.unrecorded += part->unrecorded_;
		for (std::size_t i = 0; i < part->count_; i++) {
			const std::uint64_t ticks = part->values_[i] >> 1;
			all.push_back(ticks);
			if ((part->values_[i] & 1) != 0)
				continue;
			d.undisturbed++;
			undisturbed_most = std::max(undisturbed_most, ticks);
			if (static_cast<double>(ticks) * ns > 1000)
				d.undisturbed_over_1us++;
		}
	}
	d.count = all.size();
	if (all.empty())
		return d;
	d.mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()) * ns;
	d.p50 = static_cast<double>(percentile(all, 0.50)) * ns;
	d.p99 = static_cast<double>(percentile(all, 0.99)) * ns;
	d.p999 = static_cast<double>(percentile(all, 0.999)) * ns;
	d.p99999 = static_cast<double>(percentile(all, 0.99999)) * ns;
	d.most = static_cast<double>(*std::max_element(all.begin(), all.end())) * ns;
	d.undisturbed_most = static_cast<double>(undisturbed_most) * ns;
	return d;
}

distribution samples::summarize(const std::deque<samples> &parts)
{
	std::vector<const samples *> all;
	for (const samples &one : parts)
		all.push_back(&one);
	return summarize(all);
}

nlohmann::ordered_json to_json(const distribution &d)
{
	return {
		{ "count", d.count },
		{ "mean_ns", d.mean },
		{ "p50_ns", d.p50 },
		{ "p99_ns", d.p99 },
		{ "p99.9_ns", d.p999 },
		{ "p99.999_ns", d.p99999 },
		{ "max_ns", d.most },
		{ "undisturbed_count", d.undisturbed },
		{ "undisturbed_max_ns", d.undisturbed_most },
		{ "undisturbed_over_1us", d.undisturbed_over_1us },
		{ "unrecorded", d.unrecorded },
	};
}

nlohmann::ordered_json to_json(const spread &s)
{
	return { { "median", s.median },       { "least", s.least },       { "most", s.most },
		 { "deviation", s.deviation }, { "repetitions", s.count }, { "values", s.values } };
}

} // namespace lab
