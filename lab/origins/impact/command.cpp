// SPDX-License-Identifier: BSD-2-Clause
// cprng-lab impact.
#include <memory>
#include <vector>

#include "../../commands.hpp"
#include "impact.hpp"

namespace lab {

void measure_impact(const run_options &chosen, report &to)
{
	std::vector<std::unique_ptr<section>> sections;
	sections.push_back(impact::make_neighbours(chosen));
	sections.push_back(impact::make_bandwidth(chosen));
	to.add_others(run_sections(sections, chosen, to));
}

} // namespace lab
