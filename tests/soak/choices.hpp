// SPDX-License-Identifier: BSD-2-Clause
// A participant's random choices.  Not under test; a signal handler never finds the state half changed.
#ifndef CPRNG_SOAK_CHOICES_HPP
#define CPRNG_SOAK_CHOICES_HPP

#include "../support/splitmix64.hpp"

#include <cstdint>

namespace soak {

// Its state changes by a single addition.
class Choices {
public:
	explicit Choices(std::uint64_t seed = 0) : state_(seed)
	{
	}

	std::uint64_t word()
	{
		std::uint64_t z = state_ += splitmix64::step;
		splitmix64::mix(z);
		return z;
	}

	// In [0, n), for n below 2^32.
	std::uint32_t below(std::uint32_t n)
	{
		return static_cast<std::uint32_t>((word() >> 32) * n >> 32);
	}

	bool one_in(std::uint32_t n)
	{
		return below(n) == 0;
	}

private:
	std::uint64_t state_;
};

} // namespace soak

#endif
