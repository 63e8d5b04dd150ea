// SPDX-License-Identifier: BSD-2-Clause
// The cost of single 32-bit draws.
#ifndef CPRNG_LAB_LATENCY_LATENCY_HPP
#define CPRNG_LAB_LATENCY_LATENCY_HPP

#include <cstdint>
#include <memory>
#include <vector>

#include "../common/report.hpp"
#include "../common/run.hpp"
#include "../common/tally.hpp"
#include "../placements/generators.hpp"

namespace lab::latency {

struct repetition {
	double draw, inlined, bulk_byte; // mean ticks in loops, of draws that are called or inlined
};

class row {
public:
	row(const char *name, std::uint64_t draws);

	void run();

	void tell(table &t) const;

	// Percentiles of undisturbed draws, in ticks above those of an empty draw.
	void tell_undisturbed(table &t, const row &none) const;

	const tally &all() const
	{
		return all_;
	}

	nlohmann::ordered_json repetitions() const;

private:
	void count_lines();

	const generator_info &info_;
	std::unique_ptr<generator> generator_, inlined_;
	std::vector<repetition> results_;
	// For draw number n the minimum over all repetitions, and all values in order.
	std::vector<std::uint32_t> least_;
	tally all_, undisturbed_;
	std::size_t lines_written_ = 0;
};

} // namespace lab::latency

#endif
