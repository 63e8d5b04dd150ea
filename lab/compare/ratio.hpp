// SPDX-License-Identifier: BSD-2-Clause
// The ratio of two samples, with a confidence interval.
#ifndef CPRNG_LAB_COMPARE_RATIO_HPP
#define CPRNG_LAB_COMPARE_RATIO_HPP

#include <vector>

namespace lab::compare {

// The confidence interval of the Wilcoxon-Mann-Whitney test: the ratios for which `before`, multiplied, does not differ
// significantly from `after`.  Its ends are two of all ratios of an `after` to a `before`.  Ranks are used because a handful of
// repetitions with a long tail on one side is not normal, and too few for the bootstrap; the result is also deterministic.
struct interval {
	bool exists = false; // false for too few repetitions
	double least = 0, most = 0;
	double coverage = 0; // at least as requested
};

// All values must be positive; otherwise no interval exists.
interval ratio_interval(const std::vector<double> &before, const std::vector<double> &after, double confidence);

} // namespace lab::compare

#endif
