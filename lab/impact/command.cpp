// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab impact.
#include <memory>
#include <vector>

#include "../commands.hpp"
#include "impact.hpp"

namespace lab {

namespace {

void measure(const run_options &chosen, report &to)
{
	std::vector<std::unique_ptr<impact::section>> sections;
	sections.push_back(impact::make_neighbours(chosen));
	sections.push_back(impact::make_bandwidth(chosen));
	schedule all;
	for (const auto &s : sections)
		s->plan(all);
	all.run(chosen.repetitions);
	for (const auto &s : sections)
		s->tell(to);
}

void run(run_options chosen)
{
	if (chosen.quick)
		chosen.be_quick();
	report to("impact", chosen);
	measure(chosen, to);
	to.finish();
}

} // namespace

void measure_impact(const run_options &chosen, report &to)
{
	measure(chosen, to);
}

std::function<void()> add_impact(CLI::App &app)
{
	const auto chosen = std::make_shared<run_options>();
	add_run_options(app, *chosen);
	return [chosen] { run(*chosen); };
}

} // namespace lab
