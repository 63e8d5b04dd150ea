// SPDX-License-Identifier: BSD-2-Clause
#define CPRNG_NO_INLINE
#include "outline.hpp"

#include "cprng/cprng.h"

static_assert(CPRNG_HAVE_RESTARTABLE_DRAW == 0, "nothing is inlined here");

void outline::fast(void *buf, std::size_t len)
{
	cprng_fast(buf, len);
}

std::uint8_t outline::fast8()
{
	return cprng_fast8();
}

std::uint16_t outline::fast16()
{
	return cprng_fast16();
}

std::uint32_t outline::fast32()
{
	return cprng_fast32();
}

std::uint64_t outline::fast64()
{
	return cprng_fast64();
}
