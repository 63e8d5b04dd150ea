// SPDX-License-Identifier: BSD-2-Clause
// Draws by cprng::random_device.
#include <cstring>

#include <cprng/adapters/random_device.hpp>

extern "C" {
#include "../subject.h"

void draw_value(unsigned char *value, unsigned int which)
{
	static cprng::random_device device;

	static_cast<void>(which);
	for (int i = 0; i < VALUE; i += 4) {
		const std::uint32_t word = device();

		std::memcpy(value + i, &word, sizeof(word));
	}
}
}
