// SPDX-License-Identifier: BSD-2-Clause
// xoshiro256++ 1.0 of Blackman and Vigna (https://prng.di.unimi.it/): NOT cryptographic.  What a fast generator that
// promises nothing costs, for scale.
#ifndef CPRNG_LAB_TOUR_XOSHIRO_HPP
#define CPRNG_LAB_TOUR_XOSHIRO_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

struct xoshiro256pp {
	std::uint64_t s[4];

	__attribute__((always_inline)) std::uint64_t next()
	{
		const std::uint64_t result = rotate(s[0] + s[3], 23) + s[0];
		const std::uint64_t t = s[1] << 17;

		s[2] ^= s[0];
		s[3] ^= s[1];
		s[1] ^= s[2];
		s[0] ^= s[3];
		s[2] ^= t;
		s[3] = rotate(s[3], 45);
		return result;
	}

	// The upper half: the better one, as its authors say.
	std::uint32_t next32()
	{
		return static_cast<std::uint32_t>(next() >> 32);
	}

private:
	static std::uint64_t rotate(std::uint64_t x, int n)
	{
		return x << n | x >> (64 - n);
	}
};

// One state for the program, seeded before main.
extern xoshiro256pp xoshiro_state;

// In another file, so that it is called.
std::uint64_t xoshiro_call();

// size is a multiple of 8.
template <typename Next> void xoshiro_fill(Next next, unsigned char *buf, std::size_t size)
{
	for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t)) {
		const std::uint64_t word = next();
		std::memcpy(buf + i, &word, sizeof(word));
	}
}

#endif
