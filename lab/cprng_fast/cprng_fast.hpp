// SPDX-License-Identifier: BSD-2-Clause
// The table of NetBSD's change of cprng_fast() in April 2014, measured again: what its parts have in common.
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

// Of a draw: a call of a function in another file, or inlined into the loop.
enum form { called, inlined };
constexpr const char *forms[] = { "called", "inlined" };

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
	// That NetBSD measured inlined: its requests of 256 bytes are, too.
	bool only_inlined;
	std::vector<repetition> draws[std::size(forms)];
	// Of each number of ways, those with the same index were measured one after the other.
	std::vector<std::vector<ways_repetition>> ways;
};

// 1, 2, 4 and on by powers of two to the number of CPUs.
std::vector<unsigned int> ways_of_this_machine();

// What a placement costs: the draws of one engine in each, one right after the other.
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
