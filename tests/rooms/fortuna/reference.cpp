// SPDX-License-Identifier: BSD-2-Clause
#include "reference.hpp"

#include <array>
#include <cmath>

namespace reference {

namespace {

using Word = std::uint32_t;

Word rotr(Word x, int n)
{
	return x >> n | x << (32 - n);
}

// The first 32 bits of the fractional part of a prime's root (FIPS 180-4, 4.2.2 and 5.3.3).  Roots of such small
// numbers need 5 bits before the point, so any floating point with more than 37 bits suffices.
Word root_fraction(unsigned int prime, int degree)
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

} // namespace

Bytes sha256(const Bytes &message, std::uint64_t before)
{
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

Bytes hd(const Bytes &message)
{
	Bytes padded(64);

	padded.insert(padded.end(), message.begin(), message.end());
	return sha256(sha256(padded));
}

cprng_uint128 add(cprng_uint128 a, cprng_uint128 b)
{
	cprng_uint128 sum = { 0, 0 };
	unsigned int carry = 0;

	for (unsigned int i = 0; i < 16; i++) {
		const unsigned int shift = 8 * (i % 8);
		const std::uint64_t x = i < 8 ? a.lo : a.hi, y = i < 8 ? b.lo : b.hi;
		const unsigned int digit = (x >> shift & 0xff) + (y >> shift & 0xff) + carry;
		(i < 8 ? sum.lo : sum.hi) |= std::uint64_t{ digit & 0xff } << shift;
		carry = digit >> 8;
	}
	return sum;
}

Bytes keystream(const cprng_engine *engine, const cprng_backend *backend, const Bytes &key, cprng_uint128 counter,
		std::size_t len)
{
	const std::size_t size = engine->block_size;
	const std::uint64_t blocks = (len + size - 1) / size;
	Bytes out(static_cast<std::size_t>(blocks) * size);

	for (std::uint64_t done = 0, n = 0; done < blocks; done += n) {
		n = 1;
		if (backend != portable_backend(engine))
			n = std::min(blocks - done, 0x100000000 - (counter.lo & 0xffffffff));
		Position p;
		p.key = key;
		if (is_aes(engine)) {
			for (int shift = 120; shift >= 0; shift -= 8)
				p.nonce.push_back(static_cast<std::uint8_t>(shift >= 64 ? counter.hi >> (shift - 64) :
											  counter.lo >> shift));
		} else {
			for (int shift = 0; shift < 64; shift += 8)
				p.nonce.push_back(static_cast<std::uint8_t>(counter.hi >> shift));
			p.block = counter.lo;
		}
		cprng_keystate ks = p.set(engine, backend);
		backend->keystream(&ks, engine->rounds, out.data() + done * size, static_cast<std::size_t>(n), 0);
		counter = add(counter, { 0, n });
	}
	out.resize(len);
	return out;
}

Generator::Generator(const cprng_engine *engine, const Bytes &key, cprng_uint128 counter, bool portable)
    : engine(engine), backend(portable ? portable_backend(engine) : cprng_engine_select(engine)), key(key),
      counter(counter)
{
}

void Generator::reseed(const Bytes &seed)
{
	Bytes message = key;

	message.insert(message.end(), seed.begin(), seed.end());
	key = hd(message);
	counter = add(counter, { 0, 1 });
}

Bytes Generator::piece(std::size_t len)
{
	const std::size_t size = engine->block_size;
	const Bytes out = keystream(engine, backend, key, counter, len);

	counter = add(counter, { 0, (len + size - 1) / size });
	key = keystream(engine, backend, key, counter, 32);
	counter = add(counter, { 0, (32 + size - 1) / size });
	return out;
}

std::size_t Generator::piece_max() const
{
	return is_aes(engine) ? std::size_t{ 1 } << 20 : SIZE_MAX;
}

Bytes Generator::read(std::size_t len)
{
	Bytes out;

	while (out.size() < len) {
		const Bytes bytes = piece(std::min(len - out.size(), piece_max()));
		out.insert(out.end(), bytes.begin(), bytes.end());
	}
	return out;
}

bool Generator::equals(const std::uint8_t *other_key, cprng_uint128 other_counter) const
{
	return std::equal(key.begin(), key.end(), other_key) && counter.hi == other_counter.hi &&
	       counter.lo == other_counter.lo;
}

} // namespace reference
