// SPDX-License-Identifier: BSD-2-Clause
// The table of NetBSD's change of cprng_fast() in April 2014, measured again: what its parts have in common.
#ifndef CPRNG_LAB_CPRNG_FAST_CPRNG_FAST_HPP
#define CPRNG_LAB_CPRNG_FAST_CPRNG_FAST_HPP

#include <cstdint>
#include <deque>
#include <vector>

#include "../common/report.hpp"
#include "../common/run.hpp"

namespace lab::cprng_fast_table {

// The volumes of the procedure.
constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double bytes_each_way = 4 * gib;
constexpr double bytes_of_a_key = gib / 2;
constexpr double draws = 1e6;
constexpr std::size_t request = 256;
constexpr unsigned int main_ways = 4;

struct options : run_options {
	double scale = 0.01;
	bool full = false;

	void be_full()
	{
		scale = 1;
		repetitions = 3;
	}
};

struct repetition {
	double first, rekeyed; // ticks a byte
};

struct ways_repetition {
	double seconds; // from the first beginning to the last end
	double cpu_seconds;
};

struct row {
	const char *name;
	// About, on any machine: for the progress bar.
	double ns_per_byte, ns_per_byte_shared;
	std::vector<repetition> draws;
	// Of each number of ways, those with the same index were measured one after the other.
	std::vector<std::vector<ways_repetition>> ways;
};

// 1, 2, 4 and on by powers of two to the number of CPUs.
std::vector<unsigned int> ways_of_this_machine();

// Adds the measurements, which fill the rows.
void plan_draws(const options &chosen, std::deque<row> &rows, schedule &all);
void plan_ways(const options &chosen, const std::vector<unsigned int> &ways, std::deque<row> &rows, schedule &all);

// Bytes after which a state is rekeyed.
std::int64_t limit_of(const options &chosen);

void tell_draws_and_ways(const options &chosen, const std::vector<unsigned int> &ways, const std::deque<row> &rows,
			 report &to);
void tell_origin(report &to);

} // namespace lab::cprng_fast_table

#endif
