// SPDX-License-Identifier: BSD-2-Clause
// Draws by Boost.Random.
#include <array>
#include <cstdio>
#include <cstring>

#include <cprng/adapters/boost.hpp>

#include <boost/random/independent_bits.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/random_number_generator.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/variate_generator.hpp>

extern "C" {
#include "../subject.h"
}

void call_each()
{
	cprng::boost_generator random;
	cprng::boost_generator32 narrow;
	boost::random::uniform_int_distribution<std::uint64_t> all(0, UINT64_MAX);
	boost::random::uniform_int_distribution<std::uint32_t> narrow_all(0, UINT32_MAX);
	boost::random::variate_generator<cprng::boost_generator &, boost::random::normal_distribution<>> noise(
		random, boost::random::normal_distribution<>(0.0, 1.0));
	boost::random::uniform_01<> unit;
	std::array<std::uint32_t, 2> words{};

	random.seed();
	std::printf("%016llx\n", static_cast<unsigned long long>(all(random)));
	std::printf("%08x\n", narrow_all(narrow));
	narrow.generate(words.begin(), words.end());
	std::printf("%08x%08x\n", words[0], words[1]);
	// An engine adaptor, which owns and seeds another engine, and draws from it twice for a number.
	boost::random::independent_bits_engine<cprng::boost_generator32, 64, std::uint64_t> wide;
	std::printf("%016llx\n", static_cast<unsigned long long>(wide()));
	wide.seed();
	const double x = unit(random), y = noise();
	std::printf("%d %d\n", x >= 0 && x < 1, y == y);
}

void draw_value(unsigned char *value, unsigned int)
{
	cprng::boost_generator random;
	boost::random::uniform_int_distribution<std::uint64_t> all(0, UINT64_MAX);

	for (int i = 0; i < VALUE; i += 8) {
		const std::uint64_t word = all(random);

		std::memcpy(value + i, &word, sizeof(word));
	}
}
