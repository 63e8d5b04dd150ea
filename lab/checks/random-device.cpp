// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"

#include <random>

static std::random_device device;

static void fill()
{
	for (size_t i = 0; i < sizeof(buffer); i += 4) {
		const uint32_t word = device();
		memcpy(buffer + i, &word, sizeof(word));
	}
}

CHECK(device(), fill())
