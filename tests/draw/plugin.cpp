// SPDX-License-Identifier: BSD-2-Clause
// A shared object that inlines draws, to be loaded and unloaded (unload.cpp).  Nothing of the C++ library is in it: some
// of its symbols would keep the object loaded.
#include "cprng/cprng.h"

#include <cstdint>

extern "C" __attribute__((visibility("default"))) std::uint64_t plugin_draw(unsigned long times);

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
		sum += cprng_fast64(); // the last: its descriptor is the one that would stay
	}
	return sum;
}
