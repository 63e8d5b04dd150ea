// SPDX-License-Identifier: BSD-2-Clause
#ifndef CPRNG_LAB_CONTENDERS_SODIUM_HPP
#define CPRNG_LAB_CONTENDERS_SODIUM_HPP

#include "source.hpp"

#ifdef LAB_SODIUM
#include <sodium.h>

namespace lab {

class sodium : public source_of_words<sodium, std::uint32_t> {
public:
	sodium()
	{
		check(sodium_init() >= 0, "sodium_init");
	}

	std::uint32_t step()
	{
		return randombytes_random();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return randombytes_uniform(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		randombytes_buf(out, len);
	}
};

} // namespace lab
#endif

#endif
