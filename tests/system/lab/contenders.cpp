// SPDX-License-Identifier: BSD-2-Clause
// The lab's own contenders: randp's design, numbers from bytes and words, the library's buffer as an engine; and PCG64,
// whose answers are published.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "core/bytes.h"

#include "../../../lab/origins/randp/design.hpp"
#include "../../../lab/peers/contenders/source.hpp"
#include "../../../lab/origins/engines/library_buffer.hpp"
#include "../../../lab/origins/placements/locked.hpp"
#include "../../support/skips.hpp"

#if __has_include(<pcg_random.hpp>)
#include <pcg_random.hpp>
#endif

namespace {

using bytes = std::vector<unsigned char>;

bytes counted(std::size_t size, unsigned int factor)
{
	bytes all(size);
	for (std::size_t i = 0; i < size; i++)
		all[i] = static_cast<unsigned char>(factor * i + 1);
	return all;
}

template <typename Number> bool repeats(const bytes &all)
{
	std::vector<Number> numbers(all.size() / sizeof(Number));
	std::memcpy(numbers.data(), all.data(), numbers.size() * sizeof(Number));
	std::sort(numbers.begin(), numbers.end());
	return std::adjacent_find(numbers.begin(), numbers.end()) != numbers.end();
}

// Words that identify their origin.
class counter : public lab::source_of_words<counter, std::uint32_t> {
public:
	std::uint32_t step()
	{
		return next_ += 0x01020304;
	}

private:
	std::uint32_t next_ = 0;
};

} // namespace

// Catches a contender whose narrow numbers or bytes omit part of a word, or that writes past the end.
TEST_CASE("a narrow number is the upper bits of a word, and bytes are words")
{
	counter c;
	CHECK(c.next<std::uint8_t>() == 0x01);
	CHECK(c.next<std::uint16_t>() == 0x0204);
	CHECK(c.next<std::uint32_t>() == 0x0306090c);
	CHECK(c.next<std::uint64_t>() == 0x04080c10050a0f14);
	unsigned char out[7] = {};
	c.fill(out, 6);
	CHECK(cprng_load_le32(out) == cprng_le32(0x060c1218));
	std::uint32_t last = 0x070e151c;
	CHECK(std::memcmp(out + 4, &last, 2) == 0);
	CHECK(out[6] == 0);
}

namespace {

class wide_counter : public lab::source_of_halves<wide_counter> {
public:
	std::uint64_t step()
	{
		return next_ += 0x0102030405060708;
	}

private:
	std::uint64_t next_ = 0;
};

} // namespace

// Catches a half that is returned twice or never, and a wrong order of halves.
TEST_CASE("both halves of a word are numbers of 32 bits")
{
	wide_counter c;
	CHECK(c.next<std::uint32_t>() == 0x01020304);
	CHECK(c.next<std::uint32_t>() == 0x05060708);
	CHECK(c.next<std::uint32_t>() == 0x02040608);
	CHECK(c.next<std::uint64_t>() == 0x0306090c0f121518u);
	CHECK(c.next<std::uint32_t>() == 0x0a0c0e10);
	CHECK(c.next<std::uint8_t>() == 0x04);
}

// Catches a bound that is reached, and a biased multiplication.
TEST_CASE("below a bound")
{
	std::mt19937 chance(1);
	for (const std::uint32_t n : { 1u, 2u, 3u, 7u, 0x80000001u, 0xffffffffu }) {
		std::set<std::uint32_t> seen;
		for (int i = 0; i < 1000; i++) {
			const std::uint32_t value = lab::below_by_multiplication([&chance] { return chance(); }, n);
			REQUIRE(value < n);
			seen.insert(value);
		}
		CHECK(seen.size() >= std::min<std::size_t>(n, 7));
	}
	// 2^32 mod 3 is 1: the word 0, whose product has a smaller low half, is rejected.
	std::vector<std::uint32_t> words = { 0, 0x80000000 };
	std::size_t at = 0;
	CHECK(lab::below_by_multiplication([&] { return words[at++]; }, 3) == 1);
	CHECK(at == 2);
}

// Catches a generator other than PCG64 under its name.
TEST_CASE("PCG64: the answers of its authors")
{
#if __has_include(<pcg_random.hpp>)
	// test-high/expected/check-pcg64.out of https://github.com/imneme/pcg-cpp, first round: seed 42, stream 54.
	pcg64 engine(42u, 54u);
	for (const std::uint64_t expected : { 0x86b1da1d72062b68u, 0x1304aa46c9853d39u, 0xa3670e9e0dd50358u,
					      0xf9090e529a7dae00u, 0xc85b9fd837996f2cu, 0x606121f8e3919196u })
		CHECK(engine() == expected);
#else
	SKIPPED("pcg_random.hpp is not installed");
#endif
}

// Catches a request served with another one's bytes.
TEST_CASE("the library's buffer as an engine: nothing comes twice, short or long")
{
	lab::locked<lab::library_buffer, std::mutex> one(1, INT64_MAX / 2), same(1, INT64_MAX / 2),
		other(2, INT64_MAX / 2);
	bytes all;
	const std::vector<std::size_t> sizes = { 1, 4, 63, 64, 65, 511, 512, 513, 1000, 4096, 70001 };
	for (int i = 0; i < 30; i++)
		for (const std::size_t size : sizes) {
			bytes piece(size), again(size);
			one.fill(piece.data(), size);
			same.fill(again.data(), size);
			REQUIRE(piece == again);
			all.insert(all.end(), piece.begin(), piece.end());
		}
	CHECK_FALSE(repeats<std::uint64_t>(all));
	bytes mine(4096), theirs(4096);
	lab::locked<lab::library_buffer, std::mutex> first(1, INT64_MAX / 2);
	first.fill(mine.data(), 512);
	other.fill(theirs.data(), 512);
	CHECK(mine != theirs);
}

#ifdef LAB_HAS_AES

namespace {

using block = std::array<unsigned char, 16>;

LAB_AES_TARGET block round_of(bool encrypt, const block &in, const block &key)
{
	lab::aes_block a, k;
	block out;
	std::memcpy(&a, in.data(), sizeof(a));
	std::memcpy(&k, key.data(), sizeof(k));
	a = encrypt ? lab::aes_round(a, k) : lab::aes_inverse_round(a, k);
	std::memcpy(out.data(), &a, sizeof(a));
	return out;
}

// In the notation of aes_weyl.hpp.
template <typename Engine, unsigned int Keys, unsigned int Rounds, bool Encrypt, bool DaviesMeyer>
bytes model(const bytes &key, std::size_t blocks)
{
	std::uint32_t counter[4];
	for (unsigned int n = 0; n < 4; n++)
		counter[n] = cprng_load_le32(key.data() + 16 * Keys + 4 * n);
	bytes all;
	for (std::size_t i = 0; i < blocks; i++) {
		block start;
		for (unsigned int n = 0; n < 4; n++) {
			cprng_store_le32(start.data() + 4 * n, counter[n]);
			REQUIRE(Engine::step[n] % 2 == 1);
			counter[n] += Engine::step[n];
		}
		block b = start;
		for (unsigned int k = 0; k < Keys; k++)
			for (unsigned int r = 0; r < Rounds; r++) {
				block round_key;
				std::copy_n(key.begin() + 16 * k, 16, round_key.begin());
				b = round_of(Encrypt, b, round_key);
			}
		for (unsigned int n = 0; n < 16; n++)
			b[n] = static_cast<unsigned char>(b[n] ^ (DaviesMeyer ? start[n] : 0));
		all.insert(all.end(), b.begin(), b.end());
	}
	return all;
}

template <unsigned int Blocks, unsigned int Keys, unsigned int Rounds, bool Encrypt = true, bool DaviesMeyer = false>
void is_as_described()
{
	using engine = lab::aes_weyl<Blocks, Keys, Rounds, Encrypt, DaviesMeyer>;
	const bytes key = counted(engine::key_size, 5);
	const std::size_t blocks = 3 * Blocks;
	const bytes expected = model<engine, Keys, Rounds, Encrypt, DaviesMeyer>(key, blocks);
	engine e;
	e.key(key.data(), key.size(), nullptr);
	bytes whole(expected.size());
	e.fill(whole.data(), whole.size());
	CHECK(whole == expected);

	std::mt19937 chance(1);
	for (int repetition = 0; repetition < 30; repetition++) {
		bytes pieces(expected.size());
		e.key(key.data(), key.size(), nullptr);
		for (std::size_t at = 0; at < pieces.size();) {
			const std::size_t left = pieces.size() - at, n = chance() % (2 * 16 * Blocks + 1);
			if (n % 3 == 0 && left >= 4) {
				const std::uint32_t value = e.next32();
				std::memcpy(pieces.data() + at, &value, 4);
				at += 4;
			} else {
				e.fill(pieces.data() + at, std::min(n, left));
				at += std::min(n, left);
			}
		}
		REQUIRE(pieces == expected);
	}
}

} // namespace

// Catches a round, key or counter missing in the model of randp.
TEST_CASE("randp's design: rounds of AES over Weyl counters, whatever the parameters")
{
	SKIP_IF(!lab::randp::available(), "the CPU has no instructions for AES");
	// AESENC and AESDEC in Gueron, "Intel Advanced Encryption Standard (AES) New Instructions Set" (2010), least significant byte
	// first.
	const block in = { 0x5d, 0x47, 0x53, 0x5d, 0x72, 0x6f, 0x74, 0x63,
			   0x65, 0x56, 0x74, 0x73, 0x65, 0x54, 0x5b, 0x7b };
	const block key = { 0x5d, 0x6e, 0x6f, 0x72, 0x65, 0x75, 0x47, 0x5b,
			    0x29, 0x79, 0x61, 0x68, 0x53, 0x28, 0x69, 0x48 };
	const block out = { 0x95, 0xe5, 0xd7, 0xde, 0x58, 0x4b, 0x10, 0x8b,
			    0xc5, 0xa3, 0xdb, 0x9f, 0x2f, 0x1c, 0x31, 0xa8 };
	const block back = { 0x2a, 0x39, 0x30, 0xb7, 0x5e, 0xb9, 0x8e, 0xb5,
			     0x87, 0x27, 0xea, 0xfa, 0x42, 0xc3, 0x8a, 0x13 };
	CHECK(round_of(true, in, key) == out);
	CHECK(round_of(false, in, key) == back);
	is_as_described<16, 3, 1>();
	is_as_described<16, 2, 5>();
	is_as_described<16, 1, 1>();
	is_as_described<4, 3, 2>();
	is_as_described<1, 1, 3>();
	is_as_described<256, 4, 5>();
	is_as_described<16, 3, 1, false>();
	is_as_described<16, 3, 1, true, true>();
	is_as_described<16, 3, 1, false, true>();
}

// Catches bytes that stay in the pool, and a countdown that never ends, or ends a refill too early or too late.
TEST_CASE("randp's design erases what it gives, and is rekeyed when the countdown is over")
{
	SKIP_IF(!lab::randp::available(), "the CPU has no instructions for AES");
	constexpr std::size_t pool = 16 * lab::randp_blocks;
	const auto secrets_of = [](auto &generator) {
		std::vector<bytes> all;
		generator.secrets([&all](const void *p, std::size_t size) {
			const auto *from = static_cast<const unsigned char *>(p);
			all.emplace_back(from, from + size);
		});
		return all; // keys, counter, pool
	};
	lab::randp_design<lab::randp_blocks, lab::randp_keys, lab::randp_rounds_per_key> g(2);
	static_cast<void>(g.next<std::uint32_t>());
	const std::vector<bytes> first = secrets_of(g);
	REQUIRE(first.back().size() == pool);
	CHECK(std::all_of(first.back().begin(), first.back().begin() + 4, [](unsigned char b) { return b == 0; }));
	CHECK_FALSE(repeats<std::uint32_t>(bytes(first.back().begin() + 4, first.back().end())));

	// The rest of the first pool and all of the second: then the countdown has ended.
	bytes out(2 * pool - 4);
	g.fill(out.data(), out.size());
	CHECK_FALSE(repeats<std::uint64_t>(out));
	const std::vector<bytes> second = secrets_of(g);
	CHECK(second.front() == first.front());
	CHECK(second.back() == bytes(pool));
	static_cast<void>(g.next<std::uint8_t>());
	CHECK(secrets_of(g).front() != first.front());

	lab::randp seldom;
	bytes most(lab::randp_countdown * pool);
	seldom.fill(most.data(), 1);
	const bytes keys = secrets_of(seldom).front();
	seldom.fill(most.data(), most.size() - 1);
	CHECK(secrets_of(seldom).front() == keys);
	seldom.fill(most.data(), 1);
	CHECK(secrets_of(seldom).front() != keys);
}

#endif
