// SPDX-License-Identifier: BSD-2-Clause
// The source of the commands' random values.  Tests substitute sources that go through all values; --seed substitutes a
// stream (shell/seed.hpp).
#ifndef CPRNG_CLI_COMMON_SOURCE_HPP
#define CPRNG_CLI_COMMON_SOURCE_HPP

#include <cstdint>

class random_source {
public:
	virtual ~random_source() = default;

	// A uniform integer of 8, 16, 32 or 64 bits.
	virtual std::uint64_t word(unsigned int bits) = 0;
	// A uniform integer in [0, bound), where bound >= 1.
	virtual std::uint64_t below(std::uint64_t bound) = 0;
	// A uniform multiple of 2^-53 in [0, 1).
	virtual double unit() = 0;
	// Normal and exponential deviates: the library's, unless the source overrides it.
	virtual double normal(double mean, double deviation);
	virtual double exponential(double mean);
};

// The library's source: cprng_fast and the like.  Throws as require_entropy() does.
random_source &system_source();

// Call before the first draw: without random bytes from the kernel the library would abort.  Throws runtime_failure.
void require_entropy();

#endif
