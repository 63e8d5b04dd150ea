// SPDX-License-Identifier: BSD-2-Clause
// Uses everything in <cprng/cprng.hpp>; exits 0 if all of it does what the header says.  Compiled as C++17 and C++20.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <cprng/cprng.hpp>

namespace {

int failures;

void expect(bool good, const char *what)
{
	if (good)
		return;
	failures++;
	std::printf("failed: %s\n", what);
}

template <typename Exception, typename Work> bool throws(int error, Work work)
{
	try {
		work();
	} catch (const Exception &e) {
		return std::strcmp(e.what(), cprng_strerror(error)) == 0;
	} catch (...) {
	}
	return false;
}

template <typename Generator> void generators(const char *what)
{
	static_assert(Generator::min() == 0);
	static_assert(Generator::max() == std::numeric_limits<typename Generator::result_type>::max());
	static_assert(noexcept(Generator()()));
	const Generator random;
	// Every bit must be 0 and 1; 256 draws miss one with probability 2^-249.
	typename Generator::result_type ones = 0, zeros = 0;
	for (int i = 0; i < 256; i++) {
		auto value = random();
		ones |= value;
		zeros |= static_cast<typename Generator::result_type>(~value);
	}
	expect(ones == Generator::max() && zeros == Generator::max(), what);

	std::vector<int> deck(52);
	std::iota(deck.begin(), deck.end(), 0);
	std::vector<int> sorted = deck;
	std::shuffle(deck.begin(), deck.end(), Generator());
	expect(deck != sorted, "std::shuffle leaves no deck of 52 as it was");
	std::sort(deck.begin(), deck.end());
	expect(deck == sorted, "std::shuffle keeps the cards");

	Generator source;
	std::uniform_int_distribution<int> die(1, 6);
	std::set<int> faces;
	for (int i = 0; i < 1000; i++)
		faces.insert(die(source));
	expect(faces == std::set<int>({ 1, 2, 3, 4, 5, 6 }), "std::uniform_int_distribution");
}

// 64 bytes or more are all zero with probability at most 2^-512.
template <typename Container> bool filled(const Container &container)
{
	for (const auto &element : container)
		if (element != 0)
			return true;
	return false;
}

void fills()
{
	std::array<std::uint8_t, 64> array = {};
	cprng::fill(array);
	expect(filled(array), "fill(std::array)");
	std::vector<std::uint32_t> vector(16);
	cprng::fill(vector);
	expect(filled(vector) && vector.back() != vector.front(), "fill(std::vector)");
	std::uint64_t plain[8] = {};
	cprng::fill(plain);
	expect(filled(plain), "fill(array)");
	std::array<std::uint8_t, 96> part = {};
	cprng::fill(part.data() + 16, 64);
	expect(filled(part), "fill(pointer, size)");
	expect(std::all_of(part.begin(), part.begin() + 16, [](int x) { return x == 0; }) &&
		       std::all_of(part.begin() + 80, part.end(), [](int x) { return x == 0; }),
	       "fill stays inside");
	cprng::fill(nullptr, 0);
	std::vector<std::uint8_t> empty;
	cprng::fill(empty);
#if __cplusplus >= 202002L
	std::array<std::uint8_t, 96> spanned = {};
	std::span<std::uint8_t> whole(spanned);
	cprng::fill(whole.subspan(16, 64));
	expect(filled(spanned) && spanned[15] == 0 && spanned[80] == 0, "fill(std::span)");
	spanned = {};
	cprng::fill(whole);
	expect(filled(spanned), "fill(lvalue std::span)");
#endif
}

void integers()
{
	expect(cprng::uniform(0u) == 0 && cprng::uniform(1ull) == 0, "uniform of 0 and 1");
	std::set<unsigned> seen;
	bool below = true, inside = true, unit = true;
	for (int i = 0; i < 1000; i++) {
		seen.insert(cprng::uniform(5u));
		below = below && cprng::uniform(std::uint64_t{ 1 } << 40) < std::uint64_t{ 1 } << 40 &&
			cprng::uniform(std::uint8_t{ 200 }) < 200;
		int x = cprng::range(-3, 3);
		long long y = cprng::range(-5'000'000'000LL, -4'999'999'990LL);
		inside = inside && x >= -3 && x <= 3 && y >= -5'000'000'000LL && y <= -4'999'999'990LL;
		double p = cprng::real();
		unit = unit && p >= 0 && p < 1;
	}
	expect(seen == std::set<unsigned>({ 0, 1, 2, 3, 4 }) && below, "uniform");
	expect(inside && unit, "range and real");
	expect(cprng::range(7, 7) == 7, "range of one number");
	expect(cprng::range(2, 1) <= 2, "range the other way round");
	std::set<int> signs;
	for (int i = 0; i < 100; i++)
		signs.insert(cprng::range(std::numeric_limits<std::int64_t>::min(),
					  std::numeric_limits<std::int64_t>::max()) < 0);
	expect(signs.size() == 2, "range over all integers");
}

void streams()
{
	// This key, nonce and block number 1 are in RFC 8439, 2.3.2.
	std::array<std::uint8_t, 32> key;
	std::iota(key.begin(), key.end(), std::uint8_t{ 0 });
	const std::array<std::uint8_t, 12> nonce = { 0, 0, 0, 9, 0, 0, 0, 0x4a };
	cprng::stream data("chacha20", key, nonce);
	data.seek(64);
	std::array<std::uint8_t, 4> begin;
	data.read(begin);
	expect(begin == std::array<std::uint8_t, 4>{ 0x10, 0xf1, 0xe7, 0xe4 } && data.tell() == 68, "stream");
	cprng::stream again("chacha20", key.data(), key.size(), nonce.data(), nonce.size());
	std::array<std::uint8_t, 68> whole;
	again.read(whole.data(), whole.size());
	expect(std::equal(begin.begin(), begin.end(), whole.begin() + 64), "stream read in one go");
	cprng::stream zeros("salsa20", key);
	zeros.read(whole);

	std::array<std::uint8_t, 5> odd = {};
	expect(throws<std::invalid_argument>(CPRNG_ERR_ENGINE, [&] { cprng::stream("rot13", key); }), "engine");
	expect(throws<std::invalid_argument>(CPRNG_ERR_KEY_SIZE, [&] { cprng::stream("chacha20", odd); }), "key size");
	expect(throws<std::invalid_argument>(CPRNG_ERR_NONCE_SIZE, [&] { cprng::stream("salsa20", key, nonce); }),
	       "nonce size");
	expect(throws<std::invalid_argument>(CPRNG_ERR_ARGUMENT, [&] { cprng::stream("chacha20", nullptr, 32); }),
	       "null key");
	data.seek((std::uint64_t{ 1 } << 38) - 1);
	expect(throws<std::out_of_range>(CPRNG_ERR_RANGE, [&] { data.read(odd); }), "end of the stream");
	expect(throws<std::out_of_range>(CPRNG_ERR_RANGE, [&] { data.seek((std::uint64_t{ 1 } << 38) + 1); }), "seek");
	expect(data.tell() == (std::uint64_t{ 1 } << 38) - 1, "the offset stays");
}

} // namespace

int main()
{
	generators<cprng::generator>("generator");
	generators<cprng::generator32>("generator32");
	fills();
	integers();
	streams();
	return failures != 0;
}
