// SPDX-License-Identifier: BSD-2-Clause
// ChaCha, Salsa20 and AES, one block at a time.
#include "model.hpp"

#include <algorithm>
#include <array>

namespace model {

namespace {

using Word = std::uint32_t;
using Words = std::array<Word, 16>;
using Block = std::array<std::uint8_t, 16>;

// ------------------------------------------------------------------------------------------------- ChaCha and Salsa20

Word turn(Word x, unsigned int by)
{
	return x << by | x >> (32 - by);
}

Word word_at(const std::uint8_t *p)
{
	Word word = 0;

	for (unsigned int i = 0; i < 4; i++)
		word |= Word{ p[i] } << 8 * i;
	return word;
}

void chacha_quarter(Words &m, const std::array<std::size_t, 4> &at)
{
	auto &a = m[at[0]], &b = m[at[1]], &c = m[at[2]], &d = m[at[3]];

	a += b;
	d = turn(d ^ a, 16);
	c += d;
	b = turn(b ^ c, 12);
	a += b;
	d = turn(d ^ a, 8);
	c += d;
	b = turn(b ^ c, 7);
}

void salsa20_quarter(Words &m, const std::array<std::size_t, 4> &at)
{
	auto &a = m[at[0]], &b = m[at[1]], &c = m[at[2]], &d = m[at[3]];

	b ^= turn(a + d, 7);
	c ^= turn(b + a, 9);
	d ^= turn(c + b, 13);
	a ^= turn(d + c, 18);
}

using Order = std::array<std::array<std::size_t, 4>, 8>;
constexpr Order chacha_order = { { { 0, 4, 8, 12 },
				   { 1, 5, 9, 13 },
				   { 2, 6, 10, 14 },
				   { 3, 7, 11, 15 },
				   { 0, 5, 10, 15 },
				   { 1, 6, 11, 12 },
				   { 2, 7, 8, 13 },
				   { 3, 4, 9, 14 } } };
constexpr Order salsa20_order = { { { 0, 4, 8, 12 },
				    { 5, 9, 13, 1 },
				    { 10, 14, 2, 6 },
				    { 15, 3, 7, 11 },
				    { 0, 1, 2, 3 },
				    { 5, 6, 7, 4 },
				    { 10, 11, 8, 9 },
				    { 15, 12, 13, 14 } } };

Bytes words_block(const Engine &engine, const Bytes &key, const Bytes &nonce, std::uint64_t number)
{
	const bool chacha = engine.cipher == "ChaCha";
	const char *sigma = key.size() == 32 ? "expand 32-byte k" : "expand 16-byte k";
	Bytes place = little(number, nonce.size() == 12 ? 4 : 8); // the counter, then the nonce
	Words start{}, m{};
	Bytes out;

	place.insert(chacha ? place.end() : place.begin(), nonce.begin(), nonce.end());
	for (std::size_t i = 0; i < 4; i++) {
		const Word constant = word_at(reinterpret_cast<const std::uint8_t *>(sigma) + 4 * i);
		const Word first = word_at(key.data() + 4 * i), second = word_at(key.data() + key.size() - 16 + 4 * i);
		start[chacha ? i : 5 * i] = constant;
		start[chacha ? 4 + i : 1 + i] = first;
		start[chacha ? 8 + i : 11 + i] = second;
		start[chacha ? 12 + i : 6 + i] = word_at(place.data() + 4 * i);
	}
	m = start;
	for (unsigned int round = 0; round < engine.rounds; round += 2) {
		for (const auto &at : chacha ? chacha_order : salsa20_order)
			chacha ? chacha_quarter(m, at) : salsa20_quarter(m, at);
	}
	for (std::size_t i = 0; i < 16; i++) {
		const Bytes word = little(m[i] + start[i], 4);
		out.insert(out.end(), word.begin(), word.end());
	}
	return out;
}

// ----------------------------------------------------------------------------------------------------- AES (FIPS 197)

std::uint8_t times(std::uint8_t a, std::uint8_t b)
{
	unsigned int product = 0;

	for (unsigned int i = 0; i < 8; i++)
		product ^= (b >> i & 1u) != 0 ? static_cast<unsigned int>(a) << i : 0;
	for (unsigned int i = 14; i >= 8; i--)
		product ^= (product >> i & 1) != 0 ? 0x11bu << (i - 8) : 0;
	return static_cast<std::uint8_t>(product);
}

struct Tables {
	Tables()
	{
		for (unsigned int x = 0; x < 256; x++) {
			unsigned int inverse = 0, s = 0x63;
			for (unsigned int y = 1; y < 256; y++) {
				if (times(static_cast<std::uint8_t>(x), static_cast<std::uint8_t>(y)) == 1)
					inverse = y;
			}
			for (unsigned int i = 0; i < 5; i++)
				s ^= (inverse << i | inverse >> (8 - i)) & 0xff;
			box[x] = static_cast<std::uint8_t>(s);
			back[s] = static_cast<std::uint8_t>(x);
			for (unsigned int factor = 0; factor < 16; factor++)
				product[factor][x] =
					times(static_cast<std::uint8_t>(factor), static_cast<std::uint8_t>(x));
		}
	}

	std::array<std::uint8_t, 256> box{}, back{};
	std::array<std::array<std::uint8_t, 256>, 16> product{};
};

const Tables &tables()
{
	static const Tables made;
	return made;
}

// The words of the key schedule, in order.
const Bytes &schedule(const Bytes &key)
{
	static Bytes last, made;
	const auto &box = tables().box;
	const std::size_t nk = key.size() / 4;
	std::uint8_t constant = 1;

	if (key == last)
		return made;
	Bytes w = key;
	for (std::size_t i = nk; i < 4 * (nk + 7); i++) {
		std::array<std::uint8_t, 4> t{};
		std::copy_n(w.end() - 4, 4, t.begin());
		if (i % nk == 0) {
			std::rotate(t.begin(), t.begin() + 1, t.end());
			std::transform(t.begin(), t.end(), t.begin(), [&](std::uint8_t x) { return box[x]; });
			t[0] ^= constant;
			constant = times(constant, 2);
		} else if (nk > 6 && i % nk == 4) {
			std::transform(t.begin(), t.end(), t.begin(), [&](std::uint8_t x) { return box[x]; });
		}
		for (std::size_t j = 0; j < 4; j++)
			w.push_back(w[4 * (i - nk) + j] ^ t[j]);
	}
	last = key;
	made = w;
	return made;
}

void mix_columns(Block &s, const std::array<std::size_t, 4> &row)
{
	const auto &product = tables().product;

	for (std::size_t c = 0; c < 16; c += 4) {
		const std::array<std::uint8_t, 4> in = { s[c], s[c + 1], s[c + 2], s[c + 3] };
		for (std::size_t r = 0; r < 4; r++) {
			std::uint8_t sum = 0;
			for (std::size_t j = 0; j < 4; j++)
				sum ^= product[row[(j + 4 - r) % 4]][in[j]];
			s[c + r] = sum;
		}
	}
}

void add_round_key(Block &s, const Bytes &w, std::size_t round)
{
	for (std::size_t i = 0; i < 16; i++)
		s[i] ^= w[16 * round + i];
}

// Byte r of each column moves r columns to the left, or to the right.
void shift_rows(Block &s, bool left)
{
	const Block in = s;

	for (std::size_t c = 0; c < 4; c++) {
		for (std::size_t r = 0; r < 4; r++)
			s[4 * c + r] = in[4 * ((left ? c + r : c + 4 - r) % 4) + r];
	}
}

Bytes aes_encrypted(const Bytes &key, unsigned int rounds, const Bytes &plain)
{
	const Bytes &w = schedule(key);
	Block s{};

	std::copy_n(plain.begin(), s.size(), s.begin());

	add_round_key(s, w, 0);
	for (unsigned int round = 1; round <= rounds; round++) {
		for (std::uint8_t &x : s)
			x = tables().box[x];
		shift_rows(s, true);
		if (round != rounds)
			mix_columns(s, { 2, 3, 1, 1 });
		add_round_key(s, w, round);
	}
	return { s.begin(), s.end() };
}

} // namespace

Bytes block(const Engine &engine, const Bytes &key, const Bytes &nonce, std::uint64_t number)
{
	return engine.cipher == "AES" ? aes_encrypted(key, engine.rounds, counter_plus(nonce, number)) :
					words_block(engine, key, nonce, number);
}

Bytes aes_decrypted(const Bytes &key, const Bytes &block)
{
	const Bytes &w = schedule(key);
	Block s{};

	std::copy_n(block.begin(), s.size(), s.begin());
	for (std::size_t rounds = key.size() / 4 + 6, round = rounds; round > 0; round--) {
		add_round_key(s, w, round);
		if (round != rounds)
			mix_columns(s, { 14, 11, 13, 9 });
		shift_rows(s, false);
		for (std::uint8_t &x : s)
			x = tables().back[x];
	}
	add_round_key(s, w, 0);
	return { s.begin(), s.end() };
}

Bytes counter_plus(Bytes counter, std::uint64_t steps)
{
	unsigned int carry = 0;

	for (std::size_t i = counter.size(); i-- > 0; steps >>= 8) {
		carry += counter[i] + static_cast<unsigned int>(steps & 0xff);
		counter[i] = static_cast<std::uint8_t>(carry & 0xff);
		carry >>= 8;
	}
	return counter;
}

Bytes counter_minus(Bytes counter, std::uint64_t steps)
{
	// x - y = ~(~x + y)
	for (std::uint8_t &x : counter)
		x = static_cast<std::uint8_t>(~x);
	counter = counter_plus(counter, steps);
	for (std::uint8_t &x : counter)
		x = static_cast<std::uint8_t>(~x);
	return counter;
}

} // namespace model
