// SPDX-License-Identifier: BSD-2-Clause
// The table of NetBSD's cprng_fast() change of April 2014, measured again: common parts.
#ifndef CPRNG_LAB_CPRNG_FAST_CPRNG_FAST_HPP
#define CPRNG_LAB_CPRNG_FAST_CPRNG_FAST_HPP

#include <cstdint>
#include <deque>
#include <iterator>
#include <memory>
#include <vector>

#include "../common/report.hpp"
#include "../common/run.hpp"

namespace lab::cprng_fast_table {

// The procedure's volumes.
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

// A draw is a call of a function in another file, or inlined into the loop.
enum form { called, inlined };
constexpr const char *forms[] = { "called", "inlined" };

struct repetition {
	double first, rekeyed; // ticks per byte
};

struct ways_repetition {
	double seconds; // from the first start to the last end
	double cpu_seconds;
};

struct row {
	const char *name;
	// Approximate on any machine, for the progress bar.
	double ns_per_byte, ns_per_byte_shared;
	// NetBSD measured this row inlined, and so are its 256-byte requests.
	bool only_inlined;
	std::vector<repetition> draws[std::size(forms)];
	// For each number of ways; equal indices were measured one after the other.
	std::vector<std::vector<ways_repetition>> ways;
};

// 1, 2, 4 and so on, up to the number of CPUs.
std::vector<unsigned int> ways_of_this_machine();

// A placement's cost: one engine's draws in each placement, one right after the other.
class placement_costs {
public:
	explicit placement_costs(const options &chosen);
	~placement_costs();
	placement_costs(const placement_costs &) = delete;
	placement_costs &operator=(const placement_costs &) = delete;
	void plan(schedule &all);
	void tell(report &to) const;

private:
	struct group;

	void run(group &g) const;

	const options &chosen_;
	std::vector<std::unique_ptr<group>> groups_;
};

// Add the measurements, which fill the rows.
void plan_draws(const options &chosen, std::deque<row> &rows, schedule &all);
void plan_ways(const options &chosen, const std::vector<unsigned int> &ways, std::deque<row> &rows, schedule &all);

// Bytes after which a state is rekeyed.
std::int64_t limit_of(const options &chosen);

void tell_draws_and_ways(const options &chosen, const std::vector<unsigned int> &ways, const std::deque<row> &rows,
			 report &to);
void tell_origin(report &to);

} // namespace lab::cprng_fast_table

#endif
