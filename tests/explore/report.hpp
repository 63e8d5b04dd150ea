// SPDX-License-Identifier: BSD-2-Clause
// The report: the experiments made, and those that failed.
#ifndef CPRNG_TESTS_EXPLORE_REPORT_HPP
#define CPRNG_TESTS_EXPLORE_REPORT_HPP

#include "stepper.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace explore {

// One operation's results, over all its plans.
struct Row {
	const Operation *operation;
	std::uint32_t steps = 0, boundaries = 0, interior = 0, addresses = 0;
	bool every_boundary = true, every_pair = true;
	std::vector<Cell> cells = std::vector<Cell>(events * events); // [first][second]

	Cell &cell(Event first, Event second)
	{
		return cells[static_cast<std::size_t>(first) * events + static_cast<std::size_t>(second)];
	}
	// Adds the finished plan's results.
	void add(const Shared &from);
};

class Report {
public:
	// options: the command line options for the placement.
	Report(std::string placement, std::string options)
	    : placement(std::move(placement)), options(std::move(options))
	{
	}

	std::vector<Row> rows;

	void print_coverage();
	// The number of failed experiments.
	std::uint64_t print_failures();

private:
	void print_finding(Row &row, Event first, Event second, Flaw flaw);

	std::string placement, options;
};

} // namespace explore

#endif
