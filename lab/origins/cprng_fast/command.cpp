// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab cprng-fast.
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>

#include "../../commands.hpp"
#include "cprng_fast.hpp"

namespace lab {

namespace {

using cprng_fast_table::options;

void measure(const options &chosen, report &to)
{
	using cprng_fast_table::processes, cprng_fast_table::threads, cprng_fast_table::ways_of_this_machine;
	nlohmann::ordered_json &settings = to.settings();
	settings["scale"] = chosen.scale;
	settings["full"] = chosen.full;
	settings["repetitions"] = chosen.repetitions;
	settings["runs"] = chosen.runs;
	settings["ways"] = ways_of_this_machine(threads);
	settings["keys"] = cprng_fast_table::keys;
	settings["rekeyed_after_bytes"] = cprng_fast_table::limit_of(chosen);

	// The engines, with their approximate costs, called and shared.  Rows with a state per thread have no processes, since a
	// kernel has no such states.
	std::deque<cprng_fast_table::row> rows;
	const auto add = [&rows](const char *name, double alone, double shared, bool in_threads = true,
				 bool in_processes = true) {
		rows.push_back({ name, alone, shared, std::string_view(name) == "hc128-inline", {}, {} });
		rows.back().ways[threads].resize(in_threads ? ways_of_this_machine(threads).size() : 0);
		rows.back().ways[processes].resize(in_processes ? ways_of_this_machine(processes).size() : 0);
	};
	add("nothing", 0, 0, false);
	add("getrandom", 2, 2, false);
	add("arc4-mtx", 2, 3);
	add("arc4-spin", 2, 3);
	add("arc4-nomtx", 2, 30);
	add("arc4-thread", 2, 2, true, false);
	add("arc4-percpu", 2, 2);
	add("hc128-percpu", 1, 1);
	add("hc128-inline", 1, 1);
	add("salsa20-percpu", 2, 2);
	add("chacha20-percpu", 2, 2);
	add("chacha8-percpu", 1, 1);
	add("cprng", 0.1, 0.1);

	schedule all;
	const auto costs = cprng_fast_table::make_placement_costs(chosen);
	plan_draws(chosen, rows, all);
	plan_ways(chosen, rows, all);
	costs->plan(all);
	all.run(chosen.repetitions);
	report_draws_and_ways(chosen, rows, to);
	report_processes(chosen, rows, to);
	costs->report_to(to);
	cprng_fast_table::report_origin(to);
	to.add_others(all);
}

} // namespace

void measure_cprng_fast(const run_options &chosen, bool full, report &to)
{
	options own;
	static_cast<run_options &>(own) = chosen;
	if (chosen.quick)
		own.shorten();
	if (full)
		own.be_full();
	measure(own, to);
}

std::function<void()> add_cprng_fast(CLI::App &app)
{
	const auto chosen = std::make_shared<options>();
	add_run_options(app, *chosen, false);
	CLI::Option *full = app.add_flag_callback(
		"--full", [chosen] { chosen->be_full(); }, "the volumes and repetitions of 2014: an hour or so");
	app.add_option("--scale", chosen->scale, "of these volumes (0.01)")
		->check(CLI::Range(1e-6, 1.0))
		->option_text("F")
		->excludes(full)
		->excludes("--quick");
	full->excludes("--quick")->excludes("--repetitions");
	return making_report("cprng-fast", chosen, measure);
}

} // namespace lab
