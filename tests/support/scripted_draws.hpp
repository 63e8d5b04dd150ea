// SPDX-License-Identifier: BSD-2-Clause
// The library's code for numbers and shuffles, compiled again with a source of chosen values, so that tests can compute its
// result for each possible draw.
#ifndef CPRNG_TESTS_SCRIPTED_DRAWS_HPP
#define CPRNG_TESTS_SCRIPTED_DRAWS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

extern "C" {
std::uint32_t scripted_uniform32(std::uint32_t bound);
std::uint64_t scripted_uniform64(std::uint64_t bound);
std::uint64_t scripted_range64(std::uint64_t lo, std::uint64_t hi);
std::int64_t scripted_int_range(std::int64_t lo, std::int64_t hi);
int scripted_bool(void);
int scripted_bernoulli(double p);
int scripted_bernoulli_ratio(std::uint64_t numerator, std::uint64_t denominator);
float scripted_float(void);
double scripted_double(void);
void scripted_shuffle(void *base, std::size_t count, std::size_t size);
int scripted_sample(std::uint64_t *out, std::size_t k, std::uint64_t n);

// The source: returns `bytes` of the next value.
std::uint64_t scripted_draw(unsigned int bytes);
// Fills whole words, each with the next value.
void scripted_fill(void *buf, std::size_t len);
}

namespace scripted {

// Sets the next draws.  After them come other values, and used() continues to count.
void set(const std::vector<std::uint64_t> &values);
// Called once, at the end of the next scripted_fill().
void after_fill(void (*event)());
std::size_t used();

} // namespace scripted

#endif
