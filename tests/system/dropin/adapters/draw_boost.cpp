// SPDX-License-Identifier: BSD-2-Clause
// Draws by Boost.Random.
#include <cstring>

#include <cprng/adapters/boost.hpp>

#include <boost/random/uniform_int_distribution.hpp>

extern "C" {
#include "../subject.h"

void draw_value(unsigned char *value, unsigned int which)
{
	cprng::boost_generator random;
	boost::random::uniform_int_distribution<std::uint64_t> all(0, UINT64_MAX);

	static_cast<void>(which);
	for (int i = 0; i < VALUE; i += 8) {
		const std::uint64_t word = all(random);

		std::memcpy(value + i, &word, sizeof(word));
	}
}
}
