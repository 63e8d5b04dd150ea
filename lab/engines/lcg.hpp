// SPDX-License-Identifier: BSD-2-Clause
// A linear congruential generator, NOT cryptographic: a candidate for the statistical clock, which needs no secrecy but
// must not synchronise with what it samples.
#ifndef CPRNG_LAB_ENGINES_LCG_HPP
#define CPRNG_LAB_ENGINES_LCG_HPP

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"
#include "words.hpp"

namespace lab {

// Knuth's multiplier and increment for MMIX (The Art of Computer Programming, volume 2, 3.3.4), modulo 2^64, upper
// half.  BSD kernels used the minimal standard, 16807 modulo 2^31 - 1, which needs 31 bits of state and no long
// multiplication, but gives 31 bits instead of 32.  Modulo 2^64 a step is one multiplication and one addition, without
// division or comparison, and every state is valid.
class lcg : public words<lcg, std::uint32_t> {
public:
	static constexpr const char *name = "lcg";
	static constexpr std::size_t key_size = 8, nonce_size = 0;
	static constexpr std::size_t key_size_min = 8, key_size_max = 8;

	void key(const unsigned char *key, std::size_t, const unsigned char *)
	{
		restart();
		x_ = cprng_load_le64(key);
	}

	// The lower half has short periods: bit n repeats after 2^(n+1) steps.
	std::uint32_t step()
	{
		x_ = x_ * 6364136223846793005u + 1442695040888963407u;
		return static_cast<std::uint32_t>(x_ >> 32);
	}

	// See rc4.hpp.
	template <typename Function> void secrets(Function function)
	{
		function(&x_, sizeof(x_));
		word_secrets(function);
	}

private:
	std::uint64_t x_;
};

} // namespace lab

#endif
