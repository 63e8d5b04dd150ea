// SPDX-License-Identifier: BSD-2-Clause
// Do the values of repetitions lie around one place or around two?  A median between two modes is a value that no process
// has, and its deviation is no noise.
#ifndef CPRNG_LAB_COMMON_MODES_HPP
#define CPRNG_LAB_COMMON_MODES_HPP

#include <cstddef>
#include <vector>

namespace lab {

// Sarle's coefficient, (skewness^2 + 1) / kurtosis, as SAS corrects it for small samples.  Above 5/9, that of a uniform
// distribution, it suggests two modes or a long tail: Pfister, Schwarz, Janczyk, Dale, Freeman, "Good things peak in pairs: a
// note on the bimodality coefficient", Frontiers in Psychology 4:700 (2013).  0 for less than four values, and where all are
// equal.
double bimodality(const std::vector<double> &values);
constexpr double bimodality_of_uniform = 5.0 / 9;

// The values in two classes, of which those have the least squares around their means.
struct two_classes {
	double low = 0, high = 0; // medians
	std::size_t low_count = 0, high_count = 0;
};

two_classes classes_of(std::vector<double> values);

// Two modes: the coefficient is above that of a uniform distribution; each class has a fifth of the values, so that a tail of
// a few disturbed repetitions is none; and the medians of the classes are at least a twentieth of the lower one apart.
// Of 28 values it finds 95 in 100 pairs of modes of which one has a third of the values, and 4 in 100 of lognormal values
// without two; less than a dozen values are too few for it to find anything.
bool has_two_modes(const std::vector<double> &values);

} // namespace lab

#endif
