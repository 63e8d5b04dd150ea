// SPDX-License-Identifier: BSD-2-Clause
// xoshiro256++ 1.0 by Blackman and Vigna (https://prng.di.unimi.it/), NOT cryptographic: for scale.
#ifndef CPRNG_LAB_ENGINES_XOSHIRO256PP_HPP
#define CPRNG_LAB_ENGINES_XOSHIRO256PP_HPP

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"
#include "words.hpp"

namespace lab {

class xoshiro256pp : public words<xoshiro256pp, std::uint64_t> {
public:
	static constexpr const char *name = "xoshiro256pp";
	static constexpr std::size_t key_size = 32, nonce_size = 0;
	static constexpr std::size_t key_size_min = 32, key_size_max = 32;

	void key(const unsigned char *key, std::size_t, const unsigned char *)
	{
		restart();
		for (unsigned int i = 0; i < 4; i++)
			s_[i] = cprng_load_le64(key + 8 * i);
		// 0 is a fixed point.
		s_[0] |= static_cast<std::uint64_t>((s_[0] | s_[1] | s_[2] | s_[3]) == 0);
	}

	// 8 bytes.  A 32-bit number is half of them: the lower half first, then the upper.
	std::uint64_t step()
	{
		const std::uint64_t result = left(s_[0] + s_[3], 23) + s_[0];
		const std::uint64_t t = s_[1] << 17;

		s_[2] ^= s_[0];
		s_[3] ^= s_[1];
		s_[1] ^= s_[2];
		s_[0] ^= s_[3];
		s_[2] ^= t;
		s_[3] = left(s_[3], 45);
		return result;
	}

	// See rc4.hpp.
	template <typename Function> void secrets(Function function)
	{
		function(s_, sizeof(s_));
		word_secrets(function);
	}

private:
	static std::uint64_t left(std::uint64_t x, unsigned int n)
	{
		return x << n | x >> (64 - n);
	}

	std::uint64_t s_[4];
};

} // namespace lab

#endif
