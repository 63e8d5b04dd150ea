// SPDX-License-Identifier: BSD-2-Clause
// A shared object that inlines draws, for unload.cpp.  It uses nothing from the C++ library, some of whose symbols would keep
// the object loaded.
#include "cprng/cprng.h"

#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {
std::uint64_t plugin_draw(unsigned long times);
}
#pragma GCC visibility pop

std::uint64_t plugin_draw(unsigned long times)
{
	unsigned char bytes[48];
	std::uint64_t sum = 0;

	for (; times != 0; times--) {
		sum += cprng_fast8();
		sum += cprng_fast16();
		cprng_fast(bytes, sizeof(bytes));
		sum += bytes[0];
		sum += cprng_fast32();
		sum += cprng_fast64(); // the last draw, whose descriptor would stay
	}
	return sum;
}

namespace {

volatile std::uint64_t drawn_at_load;

__attribute__((constructor)) void loaded()
{
	drawn_at_load = cprng_fast64();
}

__attribute__((destructor)) void unloaded()
{
	drawn_at_load = cprng_fast64();
}

} // namespace
