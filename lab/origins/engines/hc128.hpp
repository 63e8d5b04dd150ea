// SPDX-License-Identifier: BSD-2-Clause
// HC-128 by Hongjun Wu ("The Stream Cipher HC-128", 2008), from the eSTREAM portfolio; names follow its specification.
#ifndef CPRNG_LAB_ORIGINS_ENGINES_HC128_HPP
#define CPRNG_LAB_ORIGINS_ENGINES_HC128_HPP

#include <cstddef>
#include <cstdint>

#include "core/bytes.h"
#include "words.hpp"

namespace lab {

class hc128 : public words<hc128, std::uint32_t> {
public:
	static constexpr const char *name = "hc128";
	static constexpr std::size_t key_size = 16, nonce_size = 16;
	static constexpr std::size_t key_size_min = 16, key_size_max = 16;

	// Section 2.2
	void key(const unsigned char *key, std::size_t, const unsigned char *nonce)
	{
		std::uint32_t w[1280];
		for (unsigned int i = 0; i < 8; i++) {
			w[i] = cprng_load_le32(key + 4 * (i % 4));
			w[8 + i] = cprng_load_le32(nonce + 4 * (i % 4));
		}
		for (unsigned int i = 16; i < 1280; i++)
			w[i] = f2(w[i - 2]) + w[i - 7] + f1(w[i - 15]) + w[i - 16] + i;
		for (unsigned int i = 0; i < table_size; i++) {
			p_[i] = w[256 + i];
			q_[i] = w[768 + i];
		}
		restart();
		i_ = 0;
		for (unsigned int i = 0; i < table_size; i++)
			p_[i] = step();
		for (unsigned int i = 0; i < table_size; i++)
			q_[i] = step();
	}

	// Section 2.3: 4 bytes.
	std::uint32_t step()
	{
		const unsigned int j = i_ % table_size;
		const bool first = i_ < table_size;
		i_ = (i_ + 1) % (2 * table_size);
		if (first) {
			p_[j] += (right(before(p_, j, 3), 10) ^ right(before(p_, j, 511), 23)) +
				 right(before(p_, j, 10), 8);
			return h(q_, before(p_, j, 12)) ^ p_[j];
		}
		q_[j] += (left(before(q_, j, 3), 10) ^ left(before(q_, j, 511), 23)) + left(before(q_, j, 10), 8);
		return h(p_, before(q_, j, 12)) ^ q_[j];
	}

	// See rc4.hpp.  The position in the tables depends only on the stream's length.
	template <typename Function> void secrets(Function function)
	{
		function(p_, sizeof(p_));
		function(q_, sizeof(q_));
		word_secrets(function);
	}

private:
	static constexpr unsigned int table_size = 512;

	static std::uint32_t right(std::uint32_t x, unsigned int n)
	{
		return x >> n | x << (32 - n);
	}

	static std::uint32_t left(std::uint32_t x, unsigned int n)
	{
		return x << n | x >> (32 - n);
	}

	static std::uint32_t f1(std::uint32_t x)
	{
		return right(x, 7) ^ right(x, 18) ^ x >> 3;
	}

	static std::uint32_t f2(std::uint32_t x)
	{
		return right(x, 17) ^ right(x, 19) ^ x >> 10;
	}

	static std::uint32_t before(const std::uint32_t *table, unsigned int j, unsigned int n)
	{
		return table[(j - n) % table_size];
	}

	// Uses the first and third bytes of a secret word as indices.
	static std::uint32_t h(const std::uint32_t *table, std::uint32_t x)
	{
		return table[x & 0xff] + table[256 + (x >> 16 & 0xff)];
	}

	std::uint32_t p_[table_size], q_[table_size];
	unsigned int i_;
};

} // namespace lab

#endif
