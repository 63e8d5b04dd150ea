// SPDX-License-Identifier: BSD-2-Clause
// The tour: what the library does, and how fast beside what else the machine has.
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
	"measure ciphers alone and requests of 256 MiB, too, and judge the project's targets";
constexpr const char *about_no_measurements = "only show numbers and choices";

// All of it.
void run(options chosen);

// Numbers of each kind, as text on standard output.  False when the seeded stream does not give its published answer.
bool show_numbers();

// What serves them in this process.
void show_choices();

// Measures in random order, and prints and keeps the tables.
void show_speeds(const options &chosen, report &to);

} // namespace lab::tour

#endif
