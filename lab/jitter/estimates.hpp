// SPDX-License-Identifier: BSD-2-Clause
// Estimates of the min-entropy of samples of eight bits.
//
// Each is an upper bound of what there is: what an estimator does not see, an attacker may.
#ifndef CPRNG_LAB_JITTER_ESTIMATES_HPP
#define CPRNG_LAB_JITTER_ESTIMATES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::jitter {

using sample_list = std::vector<std::uint8_t>;

// Bits a sample, of NIST SP 800-90B: 6.3.1, the most common value with its confidence bound; 6.3.3, the likeliest path of
// 128 samples of a Markov chain, for 256 values instead of two.
double most_common_value(const sample_list &samples);
double markov(const sample_list &samples);

// Of a guess: the most frequent sample after the last one; the sample that was the lag before, with the best of the lags
// from 1 to 128.  Both with the bound of 6.3.1.
double successor(const sample_list &samples);
double best_lag(const sample_list &samples);

// What the health tests of SP 800-90B, 4.4, count: the longest run of equal samples, and how many samples of a window of 512
// are equal to its first.
std::size_t longest_run(const sample_list &samples);
std::size_t fullest_window(const sample_list &samples);

} // namespace lab::jitter

#endif
