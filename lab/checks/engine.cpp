// SPDX-License-Identifier: BSD-2-Clause
// -DENGINE=...: a generator of <random> or of PCG's authors, with 32-bit or 64-bit words.
#include "check.h"

#include <random>
#ifdef PCG
#include <pcg_random.hpp>
#endif

int main()
{
	ENGINE engine{ std::random_device{}() };
	using word = decltype(engine());
	USE(&engine);
	const auto fill = [&engine] {
		for (size_t at = 0; at < sizeof(buffer); at += BITS / 8) {
			const word value = engine();
			memcpy(buffer + at, &value, BITS / 8);
		}
	};
	MEASURE("bits32", USE(static_cast<uint32_t>(engine() >> (BITS - 32))))
	MEASURE("fill256", fill(); USE(&buffer))
}
