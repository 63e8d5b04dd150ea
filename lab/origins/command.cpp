// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab all: the measurements that the project began with, in one document.
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "../commands.hpp"

namespace lab {

namespace {

struct all_options : run_options {
	bool full = false;
};

void measure(const all_options &chosen, report &to)
{
	const std::pair<const char *, std::function<void()>> parts[] = {
		{ "latency", [&] { measure_latency(chosen, to); } },
		{ "impact", [&] { measure_impact(chosen, to); } },
		{ "statclock", [&] { measure_statclock(chosen, to); } },
		{ "fortuna", [&] { measure_fortuna(chosen, to); } },
		{ "cprng-fast", [&] { measure_cprng_fast(chosen, chosen.full, to); } },
	};
	int number = 0;
	for (const auto &[name, work] : parts) {
		number++;
		if (interrupted())
			break;
		schedule::announce(fmt::format("{} of {}, {}", number, std::size(parts), name));
		to.begin_part(name);
		work();
	}
}

} // namespace

std::function<void()> add_all(CLI::App &app)
{
	const auto chosen = std::make_shared<all_options>();
	add_run_options(app, *chosen);
	app.add_flag("--full", chosen->full, "as for cprng-fast")->excludes("--quick");
	return making_report("all", chosen, measure);
}

} // namespace lab
