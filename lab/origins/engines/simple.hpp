// SPDX-License-Identifier: BSD-2-Clause
// Engines that are NOT cryptographic: two candidates for the statistical clock, which needs no secrecy but must not
// synchronise with what it samples, and one for scale.
#ifndef CPRNG_LAB_ORIGINS_ENGINES_SIMPLE_HPP
#define CPRNG_LAB_ORIGINS_ENGINES_SIMPLE_HPP

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"
#include "words.hpp"

namespace lab {

// A linear congruential generator with Knuth's multiplier and increment for MMIX (The Art of Computer Programming, volume 2,
// 3.3.4), modulo 2^64, upper half.  BSD kernels used the minimal standard, 16807 modulo 2^31 - 1, which needs 31 bits of state
// and no long multiplication, but gives 31 bits instead of 32.  Modulo 2^64 a step is one multiplication and one addition,
// without division or comparison, and every state is valid.
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

// A linear feedback shift register: 32 bits in Galois form, taps 32, 22, 2, 1: a primitive polynomial, so the period is
// 2^32 - 1 bits.  Each step returns the bit shifted out; a word is 32 of them.  (Returning the register after each step is
// cheap and common, but makes each word half the previous one.)
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

// xoshiro256++ 1.0 by Blackman and Vigna (https://prng.di.unimi.it/).
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
