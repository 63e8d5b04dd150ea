// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab all: all tables, in one document.
#include <memory>

#include <fmt/format.h>

#include "../commands.hpp"
#include "../common/report.hpp"
#include "../common/run.hpp"

namespace lab {

namespace {

struct all_options : run_options {
	bool full = false;
};

void run(all_options chosen)
{
	if (chosen.quick)
		chosen.be_quick();
	report to("all", chosen);
	const std::pair<const char *, std::function<void()>> parts[] = {
		{ "cprng-fast", [&] { measure_cprng_fast(chosen, chosen.full, to); } },
		{ "latency", [&] { measure_latency(chosen, to); } },
		{ "impact", [&] { measure_impact(chosen, to); } },
		{ "statclock", [&] { measure_statclock(chosen, to); } },
		{ "fortuna", [&] { measure_fortuna(chosen, to); } },
	};
	int number = 0;
	for (const auto &[name, measure] : parts) {
		number++;
		if (interrupted())
			break;
		schedule::announce(fmt::format("{} of {}, {}", number, std::size(parts), name));
		to.begin_part(name);
		measure();
	}
	to.finish();
}

} // namespace

std::function<void()> add_all(CLI::App &app)
{
	const auto chosen = std::make_shared<all_options>();
	add_run_options(app, *chosen);
	app.add_flag("--full", chosen->full, "that of cprng-fast")->excludes("--quick");
	return [chosen] { run(*chosen); };
}

} // namespace lab
