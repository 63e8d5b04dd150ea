// SPDX-License-Identifier: BSD-2-Clause
#include "keys.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "../../common/child.hpp"
#include "../../common/error.hpp"
#include "../../common/run.hpp"
#include "../../origins/placements/cost.hpp"
#include "../../origins/placements/generators.hpp"

namespace lab {

namespace {

run_of_keys time_in_this_process(const keyed_draws &what)
{
	const generator_info &info = find_generator(what.row);
	const auto g = (what.inlined ? info.make_inlined : info.make)(what.seed, what.limit);
	g->draw(draws_of_a_batch); // a thread's state is keyed by its first draw
	const std::uint64_t others = g->keys() - 1;
	run_of_keys done = { std::vector<double>(what.keys), 0, "own" };
	for (std::size_t key = 0; key < what.keys && !interrupted(); key++) {
		if (key != 0)
			g->exhaust();
		done.ticks[key] = ticks_of_draw(*g, what.draws) / sizeof(std::uint32_t);
	}
	done.keys_made = g->keys() - others;
	return done;
}

} // namespace

run_of_keys time_keys(const keyed_draws &what, const layout &where)
{
	if (where.name == "own")
		return time_in_this_process(what);
	child other({ where.program, "others-child", "keys", what.row, what.inlined ? "1" : "0",
		      std::to_string(what.draws), std::to_string(what.limit), std::to_string(what.seed),
		      std::to_string(what.keys) });
	std::istringstream in(other.answer());
	run_of_keys done = { std::vector<double>(what.keys), 0, where.name };
	in >> done.keys_made;
	for (double &ticks : done.ticks)
		in >> ticks;
	if (!in)
		throw failure("no times of " + what.row + " from " + where.program);
	return done;
}

bool serve_keys(int argc, char **argv)
{
	if (argc != 9 || argv[1] != std::string_view("others-child") || argv[2] != std::string_view("keys"))
		return false;
	const run_of_keys done = time_in_this_process(
		{ argv[3], argv[4][0] == '1', std::strtoull(argv[5], nullptr, 10), std::strtoll(argv[6], nullptr, 10),
		  std::strtoull(argv[7], nullptr, 10), std::strtoul(argv[8], nullptr, 10) });
	std::printf("%llu", static_cast<unsigned long long>(done.keys_made));
	for (const double ticks : done.ticks)
		std::printf(" %.17g", ticks);
	std::printf("\n");
	return true;
}

} // namespace lab
