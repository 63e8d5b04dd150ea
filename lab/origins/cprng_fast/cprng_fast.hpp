// SPDX-License-Identifier: BSD-2-Clause
// Repeats the measurements of NetBSD's cprng_fast() change of April 2014: common parts.
#ifndef CPRNG_LAB_ORIGINS_CPRNG_FAST_CPRNG_FAST_HPP
#define CPRNG_LAB_ORIGINS_CPRNG_FAST_CPRNG_FAST_HPP

#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <vector>

#include "../../common/report.hpp"
#include "../../common/run.hpp"
#include "../../peers/contenders/keys.hpp"

namespace lab::cprng_fast_table {

// The volumes of the procedure of 2014.
constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double bytes_each_way = 4 * gib;
constexpr double bytes_of_a_key = gib / 2;
constexpr std::size_t keys = static_cast<std::size_t>(bytes_each_way / bytes_of_a_key); // the first one included
constexpr double draws = 1e6;
constexpr std::size_t request = 256;
constexpr unsigned int main_ways = 4;

struct options : run_options {
	double scale = 0.01;
	bool full = false;
	// Runs of each measurement except those of several ways; their median counts, as in 2014.
	int runs = 3;

	void shorten()
	{
		run_options::shorten();
		scale = 1.0 / 4096;
	}

	// The three runs are the repetitions.
	void be_full()
	{
		full = true;
		scale = 1;
		repetitions = 3;
		runs = 1;
	}
};

// A draw is a call of a function in another file, or inlined into the loop.
enum form { called, inlined };
constexpr const char *forms[] = { "called", "inlined" };

// The runs, each in a process with other addresses of code.
using repetition = std::vector<run_of_keys>;

// The median of the runs.
double ticks_after_key(const repetition &one, std::size_t key);

struct ways_repetition {
	double seconds; // from the first start to the last end; the median of the runs
	std::vector<double> runs;
	double cpu_seconds;    // of all runs
	std::size_t processes; // of the last run
};

// Ways are threads, whose requests are calls; or processes, whose requests are system calls.
enum kind { threads, processes };

struct row {
	const char *name;
	// Approximate on any machine, for the progress bar.
	double ns_per_byte, ns_per_byte_shared;
	// NetBSD measured this row inlined, and so are its 256-byte requests.
	bool only_inlined;
	std::vector<repetition> draws[std::size(forms)];
	// For each number of ways; equal indices were measured one after the other.  Empty if the row is not measured in this kind.
	std::vector<std::vector<ways_repetition>> ways[2];
};

// Threads: 1, 2, 4 and so on, up to the number of CPUs.  Processes: 1 and 4.
std::vector<unsigned int> ways_of_this_machine(kind k);

// A placement's cost: one engine's draws in each placement, one right after the other.
std::unique_ptr<section> make_placement_costs(const options &chosen);

// Add the measurements, which fill the rows.
void plan_draws(const options &chosen, std::deque<row> &rows, schedule &all);
void plan_ways(const options &chosen, std::deque<row> &rows, schedule &all);

// The full count, reduced only in the smoke test.
inline std::uint64_t draws_of(const options &chosen)
{
	return static_cast<std::uint64_t>(chosen.quick ? draws / 50 : draws);
}

// Bytes after which a state is rekeyed.
std::int64_t limit_of(const options &chosen);

void report_draws_and_ways(const options &chosen, const std::deque<row> &rows, report &to);
void report_processes(const options &chosen, const std::deque<row> &rows, report &to);
void report_origin(report &to);

} // namespace lab::cprng_fast_table

#endif
