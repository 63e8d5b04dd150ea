// SPDX-License-Identifier: BSD-2-Clause
// A linear feedback shift register, NOT cryptographic: the other candidate for the statistical clock.
#ifndef CPRNG_LAB_ENGINES_LFSR_HPP
#define CPRNG_LAB_ENGINES_LFSR_HPP

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"
#include "words.hpp"

namespace lab {

// 32 bits in Galois form, taps 32, 22, 2, 1: a primitive polynomial, so the period is 2^32 - 1 bits.  Each step returns
// the bit shifted out; a word is 32 of them.  (Returning the register after each step is cheap and common, but makes
// each word half the previous one.)
class lfsr : public words<lfsr, std::uint32_t> {
public:
	static constexpr const char *name = "lfsr";
	static constexpr std::size_t key_size = 4, nonce_size = 0;
	static constexpr std::size_t key_size_min = 4, key_size_max = 4;

	void key(const unsigned char *key, std::size_t, const unsigned char *)
	{
		restart();
		x_ = cprng_load_le32(key);
		x_ |= static_cast<std::uint32_t>(x_ == 0); // 0 is a fixed point
	}

	std::uint32_t step()
	{
		std::uint32_t word = 0;
		for (unsigned int i = 0; i < 32; i++) {
			const std::uint32_t bit = x_ & 1;
			word |= bit << i;
			x_ = x_ >> 1 ^ ((0 - bit) & taps);
		}
		return word;
	}

	// See rc4.hpp.
	template <typename Function> void secrets(Function function)
	{
		function(&x_, sizeof(x_));
		word_secrets(function);
	}

private:
	static constexpr std::uint32_t taps = 0x80200003;

	std::uint32_t x_;
};

} // namespace lab

#endif
