// SPDX-License-Identifier: BSD-2-Clause
// A second implementation of SHA-256 and of Fortuna's hash, written from FIPS 180-4 and the book, for whole messages.
#ifndef CPRNG_TESTS_SHA256_HPP
#define CPRNG_TESTS_SHA256_HPP

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace reference {

namespace sha256_parts {

using Bytes = std::vector<std::uint8_t>;
using Word = std::uint32_t;

inline Word rotr(Word x, int n)
{
	return x >> n | x << (32 - n);
}

// The first 32 bits of the fractional part of a prime's root (FIPS 180-4, 4.2.2 and 5.3.3).  Roots of such small
// numbers need 5 bits before the point, so any floating point with more than 37 bits suffices.
inline Word root_fraction(unsigned int prime, int degree)
{
	using Wide = long double;
	const Wide root = degree == 2 ? std::sqrt(static_cast<Wide>(prime)) : std::cbrt(static_cast<Wide>(prime));
	return static_cast<Word>(static_cast<std::uint64_t>(root * 4294967296.0L) & 0xffffffff);
}

struct Constants {
	Constants()
	{
		std::size_t n = 0;
		for (unsigned int p = 2; n < 64; p++) {
			bool prime = true;
			for (unsigned int d = 2; d < p; d++)
				prime = prime && p % d != 0;
			if (!prime)
				continue;
			if (n < 8)
				start[n] = root_fraction(p, 2);
			round[n++] = root_fraction(p, 3);
		}
	}

	std::array<Word, 8> start;
	std::array<Word, 64> round;
};

} // namespace sha256_parts

// Hashes the end of a message; the preceding `before` bytes are counted but not hashed.
inline std::vector<std::uint8_t> sha256(const std::vector<std::uint8_t> &message, std::uint64_t before = 0)
{
	using namespace sha256_parts;
	static const Constants constants;
	std::array<Word, 8> hash = constants.start;
	Bytes padded = message;

	padded.push_back(0x80);
	while (padded.size() % 64 != 56)
		padded.push_back(0);
	for (int i = 7; i >= 0; i--)
		padded.push_back(static_cast<std::uint8_t>((before + message.size()) * 8 >> 8 * i));
	for (std::size_t at = 0; at < padded.size(); at += 64) {
		Word w[64];
		for (std::size_t t = 0; t < 16; t++) {
			w[t] = 0;
			for (std::size_t j = 0; j < 4; j++)
				w[t] = w[t] << 8 | padded[at + 4 * t + j];
		}
		for (std::size_t t = 16; t < 64; t++)
			w[t] = (rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
			       (rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
		auto [a, b, c, d, e, f, g, h] = hash;
		for (std::size_t t = 0; t < 64; t++) {
			const Word t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) +
					constants.round[t] + w[t];
			const Word t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
			h = g;
			g = f;
			f = e;
			e = d + t1;
			d = c;
			c = b;
			b = a;
			a = t1 + t2;
		}
		const std::array<Word, 8> add = { a, b, c, d, e, f, g, h };
		for (std::size_t i = 0; i < 8; i++)
			hash[i] += add[i];
	}
	Bytes digest;
	for (Word word : hash) {
		for (int shift = 24; shift >= 0; shift -= 8)
			digest.push_back(static_cast<std::uint8_t>(word >> shift));
	}
	return digest;
}

inline std::vector<std::uint8_t> hd(const std::vector<std::uint8_t> &message)
{
	std::vector<std::uint8_t> padded(64);

	padded.insert(padded.end(), message.begin(), message.end());
	return sha256(sha256(padded));
}

} // namespace reference

#endif
