// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab impact.
#include <memory>
#include <vector>

#include "../commands.hpp"
#include "impact.hpp"

namespace lab {

void measure_impact(const run_options &chosen, report &to)
{
	std::vector<std::unique_ptr<section>> sections;
	sections.push_back(impact::make_neighbours(chosen));
	sections.push_back(impact::make_compile(chosen));
	sections.push_back(impact::make_bandwidth(chosen));
	schedule all;
	for (const auto &s : sections)
		s->plan(all);
	all.run(chosen.repetitions);
	for (const auto &s : sections)
		s->tell(to);
	to.add_others(all);
}

} // namespace lab
