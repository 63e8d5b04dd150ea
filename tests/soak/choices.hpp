// SPDX-License-Identifier: BSD-2-Clause
// What a participant does next.  Not what is tested, and no state that a signal handler could find half changed.
#ifndef CPRNG_SOAK_CHOICES_HPP
#define CPRNG_SOAK_CHOICES_HPP

#include <cstdint>

namespace soak {

// Vigna's SplitMix64 (public domain, prng.di.unimi.it): one addition is the whole of its state.
class Choices {
public:
	explicit Choices(std::uint64_t seed = 0) : state_(seed)
	{
	}

	std::uint64_t word()
	{
		std::uint64_t z = state_ += UINT64_C(0x9e3779b97f4a7c15);
		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		return z ^ z >> 31;
	}

	// In [0, n), n below 2^32.
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
