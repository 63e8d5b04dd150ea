// SPDX-License-Identifier: BSD-2-Clause
// The library itself.
#include <cprng/cprng.h>

#include "source.hpp"

namespace lab {

namespace {

class fast {
public:
	template <typename Number> Number next()
	{
		if constexpr (sizeof(Number) == 1)
			return cprng_fast8();
		else if constexpr (sizeof(Number) == 2)
			return cprng_fast16();
		else if constexpr (sizeof(Number) == 4)
			return cprng_fast32();
		else
			return cprng_fast64();
	}

	std::uint32_t below(std::uint32_t n)
	{
		return cprng_uniform32(n);
	}

	void fill(unsigned char *out, std::size_t len)
	{
		cprng_fast(out, len);
	}
};

class strong : public source_of_bytes<strong> {
public:
	void fill(unsigned char *out, std::size_t len)
	{
		cprng_strong(out, len);
	}
};

} // namespace

void add_library(contender_list &all)
{
	add_contender<fast>(all, "cprng", "cprng_fast and its numbers, inlined", true);
	add_contender<strong>(all, "cprng-strong", "cprng_strong", true);
}

} // namespace lab
