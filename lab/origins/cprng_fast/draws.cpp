// SPDX-License-Identifier: BSD-2-Clause
// Cycles per byte of 32-bit requests: 1,000,000 draws after the first key, and after each rekeying within 4 GB.
#include <algorithm>

#include "cprng_fast.hpp"

namespace lab::cprng_fast_table {

namespace {

void run(const options &chosen, row &r)
{
	const std::uint64_t turn = r.draws[inlined].size();
	repetition done[std::size(forms)];
	const stay_here on_one_cpu; // the keys of its state are counted
	const auto runs = static_cast<std::size_t>(chosen.runs);
	if (!in_turn(std::size(forms), turn, [&](std::size_t how) {
		    for (std::size_t n = 0; n < runs && (how != called || !r.only_inlined) && !interrupted(); n++)
			    done[how].push_back(time_keys(
				    { r.name, how == inlined, draws_of(chosen), limit_of(chosen), turn, keys },
				    layouts()[(turn * runs + n) % layouts().size()]));
	    }))
		return;
	for (std::size_t how = 0; how < std::size(forms); how++)
		if (!done[how].empty())
			r.draws[how].push_back(done[how]);
}

} // namespace

double ticks_after_key(const repetition &one, std::size_t key)
{
	return spread_of(values_of(one, [key](const run_of_keys &run) { return run.ticks[key]; })).median;
}

// At least a quarter more than is timed under one key.
std::int64_t limit_of(const options &chosen)
{
	return static_cast<std::int64_t>(
		std::max(bytes_of_a_key * chosen.scale,
			 1.25 * sizeof(std::uint32_t) * static_cast<double>(draws_of(chosen))));
}

void plan_draws(const options &chosen, std::deque<row> &rows, schedule &all)
{
	const double bytes = static_cast<double>(limit_of(chosen)) * keys * chosen.runs * std::size(forms);
	for (row &r : rows)
		if (!r.ways[threads].empty())
			all.add_kept(bytes * r.ns_per_byte * 1e-9, [&chosen, &r] { run(chosen, r); });
}

} // namespace lab::cprng_fast_table
