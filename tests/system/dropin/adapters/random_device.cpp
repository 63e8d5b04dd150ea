// SPDX-License-Identifier: BSD-2-Clause
// Draws by cprng::random_device.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>

#include <cprng/adapters/random_device.hpp>

extern "C" {
#include "../subject.h"
}

// A program that uses it everywhere.
#define random_device_of_program cprng::random_device

static_assert(std::is_same<cprng::random_device::result_type, std::random_device::result_type>::value,
	      "as the standard's");
static_assert(cprng::random_device::min() == std::random_device::min(), "as the standard's");
static_assert(cprng::random_device::max() == std::random_device::max(), "as the standard's");
static_assert(!std::is_copy_constructible<cprng::random_device>::value, "as the standard's");
static_assert(!std::is_copy_assignable<cprng::random_device>::value, "as the standard's");

void call_each()
{
	random_device_of_program device, named("/dev/urandom");
	std::uniform_int_distribution<unsigned int> all;
	std::mt19937 seeded(device());

	std::printf("%08x\n", named());
	std::printf("%08x\n", std::uniform_int_distribution<unsigned int>(0, UINT32_MAX)(device));
	std::printf("%.0f\n", device.entropy());
	std::printf("%08lx\n", static_cast<unsigned long>(seeded()));
	if (all(seeded) > all.max())
		std::exit(1);
}

void draw_value(unsigned char *value, unsigned int)
{
	static cprng::random_device device;

	for (int i = 0; i < VALUE; i += 4) {
		const std::uint32_t word = device();

		std::memcpy(value + i, &word, sizeof(word));
	}
}
