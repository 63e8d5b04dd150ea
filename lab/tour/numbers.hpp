// SPDX-License-Identifier: BSD-2-Clause
// What there is to see before anything is measured, as plain text on standard output.
#ifndef CPRNG_LAB_TOUR_NUMBERS_HPP
#define CPRNG_LAB_TOUR_NUMBERS_HPP

// Numbers of each kind.  False when the seeded stream does not give its published answer.
bool show_numbers();

// What serves them in this process.
void show_choices();

#endif
