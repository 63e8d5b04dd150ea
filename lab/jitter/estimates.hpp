// SPDX-License-Identifier: BSD-2-Clause
// Min-entropy estimates for 8-bit samples.
//
// Each is an upper bound: an attacker may see what an estimator misses.
#ifndef CPRNG_LAB_JITTER_ESTIMATES_HPP
#define CPRNG_LAB_JITTER_ESTIMATES_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lab::jitter {

using sample_list = std::vector<std::uint8_t>;

// Bits per sample, by NIST SP 800-90B: 6.3.1, the most common value with its confidence bound; 6.3.3, the likeliest
// path of 128 samples of a Markov chain, for 256 values instead of two.
double most_common_value(const sample_list &samples);
double markov(const sample_list &samples);

// For two guesses: the most frequent successor of the last sample; and the sample one lag earlier, with the best lag
// from 1 to 128.  Both use the bound of 6.3.1.
double successor(const sample_list &samples);
double best_lag(const sample_list &samples);

// The counts of SP 800-90B's health tests (4.4): the longest run of equal samples, and the samples in a window of 512
// that equal its first one.
std::size_t longest_run(const sample_list &samples);
std::size_t fullest_window(const sample_list &samples);

} // namespace lab::jitter

#endif
