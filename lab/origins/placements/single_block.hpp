// SPDX-License-Identifier: BSD-2-Clause
// Salsa20 and ChaCha with a single-block buffer, as Taylor R. Campbell proposed for NetBSD's cprng_fast() in April 2014: buffer,
// key and counter take 112 bytes, the state two cache lines, and a draw generates at most one block.  Longer requests take a key
// from the buffer and expand it outside the state's protection; neither cipher has a key set-up.
//
// As then, the cores are plain loops for the compiler to inline, and nothing is erased.
#ifndef CPRNG_LAB_ORIGINS_PLACEMENTS_SINGLE_BLOCK_HPP
#define CPRNG_LAB_ORIGINS_PLACEMENTS_SINGLE_BLOCK_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/bytes.h"

namespace lab {

namespace block {

inline std::uint32_t rotate(std::uint32_t x, unsigned int n)
{
	return x << n | x >> (32 - n);
}

constexpr std::uint32_t constants[] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 }; // "expand 32-byte k"

// RFC 8439, with the 64-bit counter of the original in words 12 and 13.
template <unsigned int Rounds> struct chacha {
	static constexpr unsigned int rounds = Rounds;
	static constexpr const char *name = Rounds == 8 ? "chacha8" : "chacha20";
	static constexpr std::size_t counter = 0; // index in the four input words

	static void core(std::uint32_t *out, const std::uint32_t *key, const std::uint32_t *input)
	{
		std::uint32_t begin[16], x[16];
		std::memcpy(begin, constants, sizeof(constants));
		std::memcpy(begin + 4, key, 32);
		std::memcpy(begin + 12, input, 16);
		std::memcpy(x, begin, sizeof(x));
		for (unsigned int i = 0; i < Rounds; i += 2) {
			quarter(x[0], x[4], x[8], x[12]);
			quarter(x[1], x[5], x[9], x[13]);
			quarter(x[2], x[6], x[10], x[14]);
			quarter(x[3], x[7], x[11], x[15]);
			quarter(x[0], x[5], x[10], x[15]);
			quarter(x[1], x[6], x[11], x[12]);
			quarter(x[2], x[7], x[8], x[13]);
			quarter(x[3], x[4], x[9], x[14]);
		}
		for (unsigned int i = 0; i < 16; i++)
			out[i] = x[i] + begin[i];
	}

private:
	static void quarter(std::uint32_t &a, std::uint32_t &b, std::uint32_t &c, std::uint32_t &d)
	{
		a += b;
		d = rotate(d ^ a, 16);
		c += d;
		b = rotate(b ^ c, 12);
		a += b;
		d = rotate(d ^ a, 8);
		c += d;
		b = rotate(b ^ c, 7);
	}
};

// Bernstein, "The Salsa20 family of stream ciphers", section 4: the nonce in words 6 and 7, the counter in 8 and 9.
struct salsa20 {
	static constexpr const char *name = "salsa20";
	static constexpr std::size_t counter = 2;

	static void core(std::uint32_t *out, const std::uint32_t *key, const std::uint32_t *input)
	{
		const std::uint32_t begin[16] = { constants[0], key[0],       key[1],       key[2],
						  key[3],       constants[1], input[0],     input[1],
						  input[2],     input[3],     constants[2], key[4],
						  key[5],       key[6],       key[7],       constants[3] };
		std::uint32_t x[16];
		std::memcpy(x, begin, sizeof(x));
		for (unsigned int i = 0; i < 20; i += 2) {
			quarter(x[0], x[4], x[8], x[12]);
			quarter(x[5], x[9], x[13], x[1]);
			quarter(x[10], x[14], x[2], x[6]);
			quarter(x[15], x[3], x[7], x[11]);
			quarter(x[0], x[1], x[2], x[3]);
			quarter(x[5], x[6], x[7], x[4]);
			quarter(x[10], x[11], x[8], x[9]);
			quarter(x[15], x[12], x[13], x[14]);
		}
		for (unsigned int i = 0; i < 16; i++)
			out[i] = x[i] + begin[i];
	}

private:
	static void quarter(std::uint32_t &a, std::uint32_t &b, std::uint32_t &c, std::uint32_t &d)
	{
		b ^= rotate(a + d, 7);
		c ^= rotate(b + a, 9);
		d ^= rotate(c + b, 13);
		a ^= rotate(d + c, 18);
	}
};

} // namespace block

template <typename Core> class single_block {
public:
	static constexpr const char *name = Core::name;
	static constexpr std::size_t key_size = 32, nonce_size = 0;
	static constexpr std::size_t key_size_min = 32, key_size_max = 32;
	// The longest request served from the buffer.
	static constexpr std::size_t short_max = 64;

	// A long request's own key.
	class detached {
	public:
		void fill(unsigned char *out, std::size_t len)
		{
			std::uint32_t block[words], input[4] = {};
			for (std::size_t at = 0; at < len; at += sizeof(block)) {
				Core::core(block, key_, input);
				step(input);
				unsigned char bytes[sizeof(block)];
				for (unsigned int i = 0; i < words; i++)
					cprng_store_le32(bytes + 4 * i, block[i]);
				std::memcpy(out + at, bytes, std::min(sizeof(bytes), len - at));
			}
		}

	private:
		friend single_block;
		std::uint32_t key_[8];
	};

	void key(const unsigned char *key, std::size_t, const unsigned char *)
	{
		for (unsigned int i = 0; i < 8; i++)
			key_[i] = cprng_load_le32(key + 4 * i);
		std::fill(std::begin(input_), std::end(input_), 0);
		std::fill(std::begin(buffer_), std::end(buffer_), 0);
		buffer_[0] = words;
	}

	// A block's first word is returned at once; its place then holds the next word's index.
	std::uint32_t next32()
	{
		const std::uint32_t at = buffer_[0];
		if (__builtin_expect(at < words, 1)) {
			buffer_[0] = at + 1;
			return buffer_[at];
		}
		Core::core(buffer_, key_, input_);
		step(input_);
		const std::uint32_t first = buffer_[0];
		buffer_[0] = 1;
		return first;
	}

	// The rest of the last word is discarded.
	void fill(unsigned char *out, std::size_t len)
	{
		if (len > short_max) {
			detach().fill(out, len);
			return;
		}
		for (; len >= 4; len -= 4, out += 4)
			cprng_store_le32(out, next32());
		if (len == 0)
			return;
		unsigned char last[4];
		cprng_store_le32(last, next32());
		std::memcpy(out, last, len);
	}

	detached detach()
	{
		detached own;
		for (std::uint32_t &word : own.key_)
			word = next32();
		return own;
	}

private:
	static constexpr std::uint32_t words = 16;

	static void step(std::uint32_t *input)
	{
		if (++input[Core::counter] == 0)
			input[Core::counter + 1]++;
	}

	std::uint32_t buffer_[words], key_[8], input_[4];
};

using salsa20_block = single_block<block::salsa20>;
using chacha20_block = single_block<block::chacha<20>>;
using chacha8_block = single_block<block::chacha<8>>;

} // namespace lab

#endif
