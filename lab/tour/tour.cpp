// SPDX-License-Identifier: BSD-2-Clause
#include "tour.hpp"

#include <cstdio>

#include "../common/error.hpp"

void lab::tour::run(options chosen)
{
	if (chosen.quick)
		chosen.shorten();
	report to("tour", chosen);
	const bool right = show_numbers();
	show_choices();
	std::fflush(stdout); // before the progress, which goes to standard error
	if (!chosen.no_measurements)
		show_speeds(chosen, to);
	to.finish();
	if (!right)
		throw failure("the seeded stream is not the published one");
}
