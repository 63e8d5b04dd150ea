// SPDX-License-Identifier: BSD-2-Clause
// The tour: the library's functions, and its speed compared with the machine's other generators.
#ifndef CPRNG_LAB_TOUR_TOUR_HPP
#define CPRNG_LAB_TOUR_TOUR_HPP

#include "../common/report.hpp"
#include "../common/run.hpp"

namespace lab::tour {

struct options : run_options {
	options()
	{
		seconds = 0.02;
		repetitions = 20;
	}

	bool targets = false, no_measurements = false;
};

constexpr const char *about_targets =
	"also measure bare ciphers and requests of 256 MiB, and judge the project's targets";
constexpr const char *about_no_measurements = "only show numbers and the implementation";

// The whole tour.
void run(options chosen);

// Print numbers of each kind.  Returns false if the seeded stream differs from its published answer.
bool show_numbers();

// Print the implementation that serves them in this process.
void show_choices();

// Measure in random order; print and keep the tables.
void show_speeds(const options &chosen, report &to);

} // namespace lab::tour

#endif
