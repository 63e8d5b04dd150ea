// SPDX-License-Identifier: BSD-2-Clause
// The design of randp (https://github.com/planet36/randp), rebuilt from its documents: a small pool of blocks, made
// from a counter by AES rounds with few keys.  It is a template, so that its parameters can be varied.  NOT a cipher
// that cryptanalysts have examined; its own document: "No claims are made that randp is a CSPRNG".
//
// The counter is four Weyl sequences: words of 32 bits with odd increments, which are public constants since version 4.
#ifndef CPRNG_LAB_ORIGINS_ENGINES_AES_WEYL_HPP
#define CPRNG_LAB_ORIGINS_ENGINES_AES_WEYL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bytes.h"
#include "cpu/cpu.h"

// One AES round by the CPU's instruction.
#if defined(__x86_64__)

#include <immintrin.h>

#define LAB_HAS_AES 1
#define LAB_AES_TARGET [[gnu::target("aes,sse2")]]

namespace lab {

using aes_block = __m128i;
constexpr unsigned int aes_needs = CPRNG_CPU_AESNI;

// MixColumns(ShiftRows(SubBytes(block))) ^ key.
LAB_AES_TARGET inline aes_block aes_round(aes_block block, aes_block key)
{
	return _mm_aesenc_si128(block, key);
}

// InvMixColumns(InvShiftRows(InvSubBytes(block))) ^ key.
LAB_AES_TARGET inline aes_block aes_inverse_round(aes_block block, aes_block key)
{
	return _mm_aesdec_si128(block, key);
}

} // namespace lab

#elif defined(__aarch64__)

#include <arm_neon.h>

#define LAB_HAS_AES 1
#define LAB_AES_TARGET [[gnu::target("+crypto")]]

namespace lab {

using aes_block = uint8x16_t;
constexpr unsigned int aes_needs = CPRNG_CPU_ARM_AES;

LAB_AES_TARGET inline aes_block aes_round(aes_block block, aes_block key)
{
	return vaesmcq_u8(vaeseq_u8(block, vdupq_n_u8(0))) ^ key;
}

LAB_AES_TARGET inline aes_block aes_inverse_round(aes_block block, aes_block key)
{
	return vaesimcq_u8(vaesdq_u8(block, vdupq_n_u8(0))) ^ key;
}

} // namespace lab

#endif

#ifdef LAB_HAS_AES

namespace lab {

// 16-byte blocks in the pool; keys, each for that many consecutive rounds; rounds of encryption or of decryption; whether the
// counter is added to what the rounds made of it, as by Davies and Meyer.
template <unsigned int Blocks, unsigned int Keys, unsigned int RoundsPerKey, bool Encrypt = true,
	  bool DaviesMeyer = false>
class aes_weyl {
	static_assert(Blocks > 0 && Keys > 0 && RoundsPerKey > 0);

public:
	static constexpr const char *name = "aes-weyl";
	static constexpr std::size_t block_size = 16;
	static constexpr std::size_t pool_size = Blocks * block_size;
	// The keys, and the counter's start.
	static constexpr std::size_t key_size = Keys * block_size + block_size, nonce_size = 0;
	static constexpr std::size_t key_size_min = key_size, key_size_max = key_size;

	static bool available()
	{
		return (cprng_cpu_features() & aes_needs) != 0;
	}

	void key(const unsigned char *key, std::size_t, const unsigned char *)
	{
		left_ = 0;
		std::memcpy(keys_, key, sizeof(keys_));
		key += sizeof(keys_);
		std::memcpy(&counter_, key, sizeof(counter_));
	}

	std::uint32_t next32()
	{
		std::uint32_t value;
		fill(reinterpret_cast<unsigned char *>(&value), sizeof(value));
		return value;
	}

	void fill(unsigned char *out, std::size_t len)
	{
		fill(out, len, [] {});
	}

	// See rc4.hpp.
	template <typename Function> void secrets(Function function)
	{
		function(keys_, sizeof(keys_));
		function(&counter_, sizeof(counter_));
		function(pool_, sizeof(pool_));
	}

protected:
	// All bytes pass through the pool, from its beginning, and are erased there.  before_refill() may call key().
	template <typename Function> void fill(unsigned char *out, std::size_t len, Function before_refill)
	{
		while (len != 0) {
			if (left_ == 0) {
				before_refill();
				generate(pool_);
				left_ = pool_size;
			}
			const std::size_t now = std::min<std::size_t>(len, left_);
			unsigned char *from = pool_ + pool_size - left_;
			std::memcpy(out, from, now);
			explicit_bzero(from, now);
			left_ -= static_cast<std::uint32_t>(now);
			out += now;
			len -= now;
		}
	}

public:
	using words = std::uint32_t __attribute__((vector_size(16)));
	// Not randp's own: all odd constants take the same time.
	static constexpr words step = { 0x9e3779b9, 0x7f4a7c15, 0xbb67ae85, 0x84caa73b };

private:
	// One block at a time, as in randp; interleaving would hide a round's latency better.
	LAB_AES_TARGET void generate(unsigned char *out)
	{
		for (unsigned int i = 0; i < Blocks; i++, out += block_size) {
			aes_block start, block, key;
			std::memcpy(&start, &counter_, sizeof(start));
			block = start;
#pragma GCC unroll 16
			for (unsigned int k = 0; k < Keys; k++) {
				std::memcpy(&key, keys_ + k * block_size, sizeof(key));
#pragma GCC unroll 16
				for (unsigned int r = 0; r < RoundsPerKey; r++)
					block = Encrypt ? aes_round(block, key) : aes_inverse_round(block, key);
			}
			if constexpr (DaviesMeyer)
				block ^= start;
			std::memcpy(out, &block, sizeof(block));
			counter_ += step;
		}
	}

	alignas(16) unsigned char keys_[Keys * block_size];
	words counter_;
	std::uint32_t left_ = 0; // bytes at the end of pool_
	alignas(64) unsigned char pool_[pool_size];
};

} // namespace lab

#endif

#endif
