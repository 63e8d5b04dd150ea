// SPDX-License-Identifier: BSD-2-Clause
// -DENGINE=...: a generator of <random>, or of the authors of PCG, of words of 32 or 64 bits.
#include "check.h"

#include <random>
#ifdef PCG
#include <pcg_random.hpp>
#endif

ENGINE engine{ std::random_device{}() };
using word = decltype(engine());

static void fill()
{
	for (size_t i = 0; i < sizeof(buffer); i += BITS / 8) {
		const word value = engine();
		memcpy(buffer + i, &value, BITS / 8);
	}
}

CHECK(static_cast<uint32_t>(engine() >> (BITS - 32)), fill())
