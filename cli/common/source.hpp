// SPDX-License-Identifier: BSD-2-Clause
// Where the random values of the commands come from.  The tests put other sources in its place, which go through all
// values; --seed puts a stream there (common/seed.hpp).
#ifndef CPRNG_CLI_COMMON_SOURCE_HPP
#define CPRNG_CLI_COMMON_SOURCE_HPP

#include <cstdint>

class random_source {
public:
	virtual ~random_source() = default;

	// A uniform integer of 8, 16, 32 or 64 bits.
	virtual std::uint64_t word(unsigned int bits) = 0;
	// A uniform integer in [0, bound).  bound is 1 at the least.
	virtual std::uint64_t below(std::uint64_t bound) = 0;
	// A uniform multiple of 2^-53 in [0, 1).
	virtual double unit() = 0;
	// A normally distributed number: an exact sample with mean 0 and deviation 1, unless the source has its own.
	virtual double normal(double mean, double deviation);
	// An exponentially distributed number: the library's, unless the source has its own.
	virtual double exponential(double mean);
};

// That of the library: cprng_fast and the like.
random_source &system_source();

#endif
