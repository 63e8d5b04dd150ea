// SPDX-License-Identifier: BSD-2-Clause
// Cycles per byte of 32-bit requests: 1,000,000 draws after the first key, and after each rekeying within 4 GB.
#include <algorithm>

#include "../placements/cost.hpp"
#include "../placements/generators.hpp"
#include "cprng_fast.hpp"

namespace lab::cprng_fast_table {

namespace {

run_of_keys run_once(const options &chosen, const row &r, form how, std::uint64_t seed)
{
	const generator_info &info = find_generator(r.name);
	const auto g = (how == inlined ? info.make_inlined : info.make)(seed, limit_of(chosen));
	g->draw(draws_of_a_batch); // a thread's state is keyed by its first draw
	const std::uint64_t others = g->keys() - 1;
	run_of_keys done = {};
	for (std::size_t key = 0; key < keys && !interrupted(); key++) {
		if (key != 0)
			g->exhaust();
		done.ticks[key] = ticks_of_draw(*g, draws_of(chosen)) / sizeof(std::uint32_t);
	}
	done.keys_made = g->keys() - others;
	return done;
}

void run(const options &chosen, row &r)
{
	const std::uint64_t turn = r.draws[inlined].size();
	repetition done[std::size(forms)];
	const stay_here on_one_cpu; // the keys of its state are counted
	if (!in_turn(std::size(forms), turn, [&](std::size_t how) {
		    for (int n = 0; n < chosen.runs && (how != called || !r.only_inlined); n++)
			    done[how].push_back(run_once(chosen, r, static_cast<form>(how), turn));
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
