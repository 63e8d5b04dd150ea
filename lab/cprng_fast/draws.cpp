// SPDX-License-Identifier: BSD-2-Clause
// Cycles per byte of 32-bit requests: 1,000,000 draws after the first key, and after the next one.
#include <algorithm>

#include "../placements/cost.hpp"
#include "../placements/generators.hpp"
#include "cprng_fast.hpp"

namespace lab::cprng_fast_table {

namespace {

// The full count, reduced only in the smoke test.
std::uint64_t draws_of(const options &chosen)
{
	return static_cast<std::uint64_t>(chosen.quick ? draws / 50 : draws);
}

void run(const options &chosen, row &r)
{
	const std::uint64_t count = draws_of(chosen), turn = r.draws[inlined].size();
	repetition done[std::size(forms)] = {};
	for (std::size_t i = 0; i < std::size(forms); i++) {
		const std::size_t how = (i + turn) % std::size(forms);
		if (how == called && r.only_inlined)
			continue;
		const generator_info &info = find_generator(r.name);
		const auto g = (how == inlined ? info.make_inlined : info.make)(turn, limit_of(chosen));
		done[how].first = ticks_of_draw(*g, count) / sizeof(std::uint32_t);
		if (interrupted())
			return;
		g->exhaust();
		done[how].rekeyed = ticks_of_draw(*g, count) / sizeof(std::uint32_t);
		if (interrupted())
			return;
	}
	for (std::size_t how = 0; how < std::size(forms); how++)
		if (how != called || !r.only_inlined)
			r.draws[how].push_back(done[how]);
}

} // namespace

// At least as many as are drawn under one key.
std::int64_t limit_of(const options &chosen)
{
	return static_cast<std::int64_t>(std::max(bytes_of_a_key * chosen.scale, 5e6));
}

void plan_draws(const options &chosen, std::deque<row> &rows, schedule &all)
{
	for (row &r : rows) {
		const double bytes = static_cast<double>(limit_of(chosen)) + static_cast<double>(draws_of(chosen)) * 4;
		all.add_kept(bytes * 6 * r.ns_per_byte * 1e-9, [&chosen, &r] { run(chosen, r); });
	}
}

} // namespace lab::cprng_fast_table
