// SPDX-License-Identifier: BSD-2-Clause
// Tests of distributions, with their false alarm rates.
#ifndef CPRNG_TESTS_STATISTICS_HPP
#define CPRNG_TESTS_STATISTICS_HPP

#include "doctest/doctest.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace statistics {

// Q(a, x), the upper incomplete gamma function over Gamma(a): series below a + 1, Lentz's continued fraction above
// (NIST Digital Library of Mathematical Functions, 8.7.1 and 8.9.2).
inline double upper_gamma(double a, double x)
{
	const double scale = std::exp(-x + a * std::log(x) - std::lgamma(a));

	if (x <= 0)
		return 1;
	if (x < a + 1) {
		double term = 1 / a, sum = term;
		for (double n = a + 1; term > sum * 1e-17; n++) {
			term *= x / n;
			sum += term;
		}
		return 1 - sum * scale;
	}
	const double tiny = 1e-300;
	double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
	for (int i = 1; i < 10000; i++) {
		const double an = -i * (i - a);
		b += 2;
		d = an * d + b;
		d = 1 / (std::fabs(d) < tiny ? tiny : d);
		c = b + an / c;
		c = std::fabs(c) < tiny ? tiny : c;
		h *= d * c;
		if (std::fabs(d * c - 1) < 1e-15)
			break;
	}
	return h * scale;
}

// The probability of a fit at least as bad if all places are equally likely.
inline double p_of_equal_counts(const std::vector<std::uint64_t> &counts, std::size_t freedom)
{
	double total = 0, chi_square = 0;

	for (std::uint64_t n : counts)
		total += static_cast<double>(n);
	const double expected = total / static_cast<double>(counts.size());
	for (std::uint64_t n : counts) {
		const double off = static_cast<double>(n) - expected;
		chi_square += off * off / expected;
	}
	return upper_gamma(static_cast<double>(freedom) / 2, chi_square / 2);
}

// False alarms: each tail has probability 10^-10.  Expected counts are a thousand or more everywhere here.  Then the sum's true
// distribution is within a factor of two of the chi-square distribution in the tails, so false alarms are rarer than one in
// 10^9 checks.  A fit that is too good is as suspicious as a bad one, except with few counts: two may well be equal.
inline void check_equal(const std::vector<std::uint64_t> &counts, const std::string &what, std::size_t freedom = 0)
{
	const double p = p_of_equal_counts(counts, freedom != 0 ? freedom : counts.size() - 1);
	INFO(what << ": " << counts.size() << " places, p = " << p);
	CHECK(p > 1e-10);
	if (counts.size() >= 16)
		CHECK(p < 1 - 1e-10);
}

// Compares the mean of this many values with a normal distribution.  False alarms: 8 * 10^-11, beyond 6.5 standard deviations.
inline void check_mean(double mean, double expected, double deviation, double values, const std::string &what)
{
	const double z = (mean - expected) / (deviation / std::sqrt(values));
	INFO(what << ": mean " << mean << ", expected " << expected << ", " << z << " standard deviations off");
	CHECK(std::fabs(z) < 6.5);
}

} // namespace statistics

#endif
