// SPDX-License-Identifier: BSD-2-Clause
// How many times larger are these figures than those, and within what bounds?
#ifndef CPRNG_LAB_COMPARE_RATIO_HPP
#define CPRNG_LAB_COMPARE_RATIO_HPP

#include <vector>

namespace lab::compare {

// The interval that the Wilcoxon-Mann-Whitney test leaves: those ratios by which `before` can be multiplied so that the
// test finds no difference to `after`.  Its ends are two of all ratios of an `after` to a `before`.  By ranks, because a
// handful of repetitions with a long tail on one side has no normal distribution, and too few values to be drawn from
// again and again (the bootstrap); and nothing in it is left to chance.
struct interval {
	bool exists = false; // too few repetitions have none
	double least = 0, most = 0;
	double coverage = 0; // no less than was asked for
};

// All values must be positive: there is none otherwise.
interval ratio_interval(const std::vector<double> &before, const std::vector<double> &after, double confidence);

} // namespace lab::compare

#endif
