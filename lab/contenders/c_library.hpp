// SPDX-License-Identifier: BSD-2-Clause
// The C library's generators: arc4random, in glibc since 2.36.
#ifndef CPRNG_LAB_CONTENDERS_C_LIBRARY_HPP
#define CPRNG_LAB_CONTENDERS_C_LIBRARY_HPP

#include <cstdlib>

#include "source.hpp"

namespace lab {

// The C library's name, and the source behind its functions.
std::string arc4random_is();

#ifdef LAB_ARC4RANDOM
class c_library_arc4random : public source_of_words<c_library_arc4random, std::uint32_t> {
public:
	std::uint32_t step()
	{
		return arc4random();
	}

	// 64 bits: one request, as programs make it, instead of two words.
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == 8)
			return number_of_bytes<Number>(*this);
		else
			return source_of_words::next<Number>();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return arc4random_uniform(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		arc4random_buf(out, len);
	}
};
#endif

} // namespace lab

#endif
